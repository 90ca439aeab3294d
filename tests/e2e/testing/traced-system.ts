import { randomUUID } from "node:crypto";
import path from "node:path";
import { type AllInOne, startAllInOne } from "@toolbus/all-in-one";
import { type ReleaseApi, startReleaseApi } from "@toolbus/example-release-api";
import { overTheBus } from "./over-the-bus.ts";
import { type Decider, type Requester } from "./http-client.ts";
import { type OtlpReceiver, otlpReceiver } from "./otlp-receiver.ts";
import { someRelease } from "./releases.ts";

/** Every service in this process, with a collector in this process that receives their telemetry. */
export interface TracedSystem {
  readonly receiver: OtlpReceiver;
  readonly requester: Requester;
  readonly decider: Decider;
  readonly system: AllInOne;
  /** Stops the services, which then send their remaining telemetry. After that the receiver still has everything that it received. */
  end(): Promise<void>;
  stop(): Promise<void>;
}

export const RELEASE = "r1";

export async function tracedSystem(directory: string, env: Readonly<Record<string, string>> = {}): Promise<TracedSystem> {
  const receiver = await otlpReceiver();
  const api: ReleaseApi = await startReleaseApi({
    directory: path.join(directory, "api"),
    releases: new Map([[RELEASE, someRelease(RELEASE)]]),
    clock: () => Date.now(),
    newId: randomUUID,
  });
  const system = await startAllInOne({
    // The spans of messages are also those of a call.
    wrap: overTheBus,
    directory,
    env: {
      RELEASE_API_URL: api.url,
      GATEWAY_PORT: "0",
      APPROVALS_PORT: "0",
      LOG_LEVEL: "silent",
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      ...env,
    },
  });
  let ended: Promise<unknown> | null = null;
  const end = async (): Promise<void> => void (await (ended ??= system.stop()));
  return {
    receiver,
    requester: { gateway: system.gatewayUrl, user: system.keys.user },
    decider: { approvals: system.approvalsUrl, approver: system.keys.approver },
    system,
    end,
    async stop() {
      await end();
      await api.stop();
      await receiver.stop();
    },
  };
}

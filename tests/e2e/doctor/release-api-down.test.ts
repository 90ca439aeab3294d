import { startAllInOne } from "@toolbus/all-in-one";
import { startReleaseApi } from "@toolbus/example-release-api";
import { freePort } from "@toolbus/testing/servers";
import { expect, it } from "vitest";
import { TOOLBUS } from "../testing/cli-under-test.ts";
import { runProgram } from "../testing/program.ts";
import { someRelease } from "../testing/releases.ts";
import { scratch } from "../testing/scratch.ts";

const RELEASE = "v1.5.0";

it("toolbus, with a release API that is down: doctor and investigate exit with 1 and say why, until it is there", async () => {
  await using held = new AsyncDisposableStack();
  const files = scratch();
  held.defer(() => files.remove());
  const port = await freePort();
  const system = await startAllInOne({
    directory: files.at("data"),
    env: { GATEWAY_PORT: "0", APPROVALS_PORT: "0", RELEASE_API_URL: `http://127.0.0.1:${port}`, LOG_LEVEL: "silent" },
  });
  held.defer(async () => void (await system.stop()));
  const env = { TOOLBUS_URL: system.gatewayUrl, TOOLBUS_APPROVALS_URL: system.approvalsUrl, DATA_DIR: files.at("data") };
  const toolbus = (...args: readonly string[]) => runProgram(TOOLBUS, args, { env });

  expect(await toolbus("doctor")).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^fail {2}tools [^→]*The release API cannot be/m),
  });
  expect(await toolbus("investigate", RELEASE)).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(
      /could not be read \(unavailable\): The release API cannot be reached\..*Report on v1\.5\.0: not assessed/s,
    ),
  });

  const api = await startReleaseApi({
    port,
    directory: files.at("release-api"),
    releases: new Map([[RELEASE, someRelease(RELEASE)]]),
    clock: () => 1_700_000_000_000,
    newId: () => "report-1",
  });
  held.defer(() => api.stop());
  await expect.poll(() => toolbus("doctor"), { timeout: 60_000, interval: 1 }).toMatchObject({ code: 0 });
});

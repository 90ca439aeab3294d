import { hash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { type RegistryStamp, registryVersion } from "@toolbus/contracts";
import { applied, kubectl, objects } from "./cluster.ts";

/** A wrong setting, and where its sentence has to stand. */
interface BadInput {
  readonly what: string;
  /** The Deployment whose pod is copied. The default is the agent. */
  readonly of?: "worker-release";
  /** Changes the container of the pod. */
  readonly change: (container: Container, pod: Pod) => void;
  readonly shownBy: "logs" | "describe";
  readonly says: RegExp;
}

interface Container {
  env: { name: string; value?: string; valueFrom?: object }[];
  livenessProbe: { httpGet: { path: string } };
  [field: string]: unknown;
}

interface Pod {
  volumes: { name: string; secret?: { secretName: string }; configMap?: { name: string } }[];
  containers: Container[];
  [field: string]: unknown;
}

/** The result of one wrong setting. */
export interface BadInputReport {
  readonly what: string;
  readonly shownBy: string;
  /** The line that explains it, or null if there was none in a minute. */
  readonly line: string | null;
}

const INPUTS: readonly BadInput[] = [
  {
    what: "a Secret that is not there",
    change: (_, pod) => {
      for (const { secret } of pod.volumes) if (secret) secret.secretName = "toolbus-agnet";
    },
    shownBy: "describe",
    says: /secret "toolbus-agnet" not found/,
  },
  {
    what: "the address of a broker that does not exist",
    change: (container) => setEnv(container, "BUS_URL", "amqp://rabbit.invalid:5672"),
    shownBy: "logs",
    says: /rabbit\.invalid:5672 does not answer \(.*check BUS_URL/,
  },
  {
    what: "a bus of an unknown kind",
    change: (container) => setEnv(container, "BUS_URL", "kafka://broker:9092"),
    shownBy: "logs",
    says: /BUS_URL.*kafka/,
  },
  {
    what: "a key file that is not in the Secret",
    change: (container) => setEnv(container, "AGENT_KEY_FILE", "/keys/agent-singing.jwk"),
    shownBy: "logs",
    says: /agent-singing\.jwk/,
  },
  {
    what: "an agent of a version that may not run with the registered tools",
    change: (_, pod) => useStamp(pod),
    shownBy: "logs",
    says: /Not ready: the registry differs from the registry stamp \(.*start the stamped workers first, or stamp the deployment again/,
  },
  {
    what: "a worker of another version than the deployment was made for",
    of: "worker-release",
    change: (_, pod) => useStamp(pod),
    shownBy: "logs",
    says: /the toolset release differs from the registry stamp \(.*deploy the version that was stamped/,
  },
  {
    what: "the same, as the probe shows it",
    of: "worker-release",
    change: (_, pod) => useStamp(pod),
    shownBy: "describe",
    says: /Readiness probe failed: HTTP probe failed with statuscode: 503/,
  },
  {
    what: "a wrong path of a probe",
    change: (container) => {
      container.livenessProbe.httpGet.path = "/health";
    },
    shownBy: "describe",
    says: /Liveness probe failed: HTTP probe failed with statuscode: 404/,
  },
];

/** Starts a copy of a pod with each wrong setting, and returns what the pod's log or "kubectl describe" says about it. */
export async function badInput(): Promise<readonly BadInputReport[]> {
  const reports: BadInputReport[] = [];
  await applied(await otherStamp());
  for (const [i, { what, of = "agent", change, shownBy, says }] of INPUTS.entries()) {
    const name = `wrong-${i}`;
    const deployment = JSON.parse(await kubectl("get", "deployment", of, "-o", "json")) as { spec: { template: { spec: Pod } } };
    const pod = structuredClone(deployment.spec.template.spec);
    const [container] = pod.containers;
    if (!container) throw new Error("The agent has no container.");
    change(container, pod);
    pod["terminationGracePeriodSeconds"] = 0;
    const metadata = { name, labels: { "app.kubernetes.io/component": "wrong" } };
    await applied(JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata, spec: { ...pod, topologySpreadConstraints: undefined } }));
    let line: string | null = null;
    for (let tries = 0; tries < 90 && line === null; tries++) {
      await pause(1000);
      const text = shownBy === "describe" ? await kubectl("describe", "pod", name) : await kubectl("logs", name).catch(() => "");
      line =
        text
          .split("\n")
          .find((one) => says.test(one))
          ?.trim() ?? null;
    }
    reports.push({ what, shownBy, line });
    await kubectl("delete", "pod", name, "--grace-period=0", "--force");
  }
  await kubectl("delete", "configmap", OTHER_STAMP);
  const left = await objects("pod", "-l", "app.kubernetes.io/component=wrong");
  if (left.length > 0) throw new Error(`${left.length} pods with wrong settings are still there.`);
  return reports;
}

function setEnv(container: Container, name: string, value: string): void {
  container.env = [...container.env.filter((one) => one.name !== name), { name, value }];
}

const OTHER_STAMP = "wrong-registry-stamp";

/** Returns the stamp of another version: the same tools with other definitions. */
async function otherStamp(): Promise<string> {
  const { data } = JSON.parse(await kubectl("get", "configmap", "toolbus-registry-stamp", "-o", "json")) as {
    data: Record<string, string>;
  };
  const stamp = JSON.parse(data["stamp.json"] ?? "") as RegistryStamp;
  const toolsets = Object.fromEntries(
    Object.entries(stamp.toolsets).map(([toolset, tools]) => [
      toolset,
      Object.fromEntries(Object.keys(tools).map((tool) => [tool, `sha256-${hash("sha256", tool, "base64url")}`])),
    ]),
  );
  const entries = Object.values(toolsets).flatMap((tools) =>
    Object.entries(tools).map(([tool, toolHash]) => {
      const [name = "", version = ""] = tool.split("@");
      return { name, version, hash: toolHash };
    }),
  );
  const other: RegistryStamp = { ...stamp, toolsets, registry_version: registryVersion(entries) };
  const metadata = { name: OTHER_STAMP };
  return JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata, data: { "stamp.json": JSON.stringify(other) } });
}

function useStamp({ volumes }: Pod): void {
  for (const { configMap } of volumes) if (configMap?.name === "toolbus-registry-stamp") configMap.name = OTHER_STAMP;
}

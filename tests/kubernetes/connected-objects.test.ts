import { mkdtempDisposable } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { hasKubectl, OVERLAYS, type Overlay, type RenderedObject, renderedObjects } from "./rendered-objects.ts";

interface Container {
  readonly name: string;
  readonly image: string;
  readonly env?: readonly {
    readonly name: string;
    readonly value?: string;
    readonly valueFrom?: { readonly secretKeyRef?: { readonly name: string; readonly key: string } };
  }[];
  readonly envFrom?: readonly {
    readonly configMapRef?: { readonly name: string };
    readonly secretRef?: { readonly name: string; readonly optional?: boolean };
  }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly volumeMounts?: readonly { readonly name: string }[];
  readonly securityContext?: Readonly<Record<string, unknown>>;
  readonly resources?: { readonly requests?: object; readonly limits?: { readonly memory?: string } };
  readonly [probe: string]: unknown;
}

interface PodSpec {
  readonly serviceAccountName?: string;
  readonly automountServiceAccountToken?: boolean;
  readonly terminationGracePeriodSeconds?: number;
  readonly securityContext?: Readonly<Record<string, unknown>>;
  readonly containers: readonly Container[];
  readonly volumes?: readonly {
    readonly name: string;
    readonly secret?: { readonly secretName: string; readonly items?: readonly { readonly key: string }[] };
    readonly configMap?: { readonly name: string };
    readonly hostPath?: object;
  }[];
  readonly [field: string]: unknown;
}

interface PodTemplate {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly spec: PodSpec;
}

/** A pod template with the object that it belongs to. */
interface Workload {
  readonly object: RenderedObject;
  readonly template: PodTemplate;
}

const root = path.join(import.meta.dirname, "../..");
const run = promisify(execFile);
const overlays = new Map<Overlay, readonly RenderedObject[]>();
const secrets = new Map<"amqp" | "nats", readonly RenderedObject[]>();

beforeAll(async () => {
  if (!hasKubectl) return;
  for (const overlay of OVERLAYS) overlays.set(overlay, await renderedObjects(overlay));
  await using folder = await mkdtempDisposable(path.join(os.tmpdir(), "secrets-"));
  for (const [broker, bus] of [
    ["amqp", "amqp://rabbitmq:5672"],
    ["nats", "nats://nats:4222"],
  ] as const) {
    const args = [
      "apps/cli/src/toolbus/main.ts",
      "permissions",
      "--kubernetes",
      "--json",
      "--bus",
      bus,
      "--data",
      path.join(folder.path, broker),
    ];
    const { stdout } = await run(process.execPath, args, { cwd: root, timeout: 60_000 });
    secrets.set(broker, (JSON.parse(stdout) as { items: readonly RenderedObject[] }).items);
  }
}, 120_000);

const objectsOf = (overlay: Overlay): readonly RenderedObject[] => overlays.get(overlay) ?? [];
const workloadsOf = (overlay: Overlay): readonly Workload[] =>
  objectsOf(overlay).flatMap((object) => {
    const template = object.spec?.["template"] as PodTemplate | undefined;
    return template ? [{ object, template }] : [];
  });
const servicesOf = (overlay: Overlay): readonly Workload[] =>
  workloadsOf(overlay).filter(({ object }) => object.metadata.labels?.["toolbus.dev/runs"] === "service");
const brokerOf = (overlay: Overlay): "amqp" | "nats" => (["nats", "laptop", "production-nats"].includes(overlay) ? "nats" : "amqp");
const stringDataOf = (secret: RenderedObject | undefined): Readonly<Record<string, string>> =>
  (secret?.["stringData"] ?? {}) as Record<string, string>;

/** Every reference of a pod to a key of a Secret. The key is null if the pod gets the whole Secret. */
function secretsUsed({
  spec,
}: PodTemplate): readonly { readonly secret: string; readonly key: string | null; readonly optional: boolean }[] {
  return [
    ...(spec.volumes ?? []).flatMap(({ secret }) =>
      !secret ? [] : (secret.items ?? [{ key: null }]).map(({ key }) => ({ secret: secret.secretName, key, optional: false })),
    ),
    ...spec.containers.flatMap((container) => [
      ...(container.env ?? []).flatMap(({ valueFrom }) =>
        valueFrom?.secretKeyRef ? [{ secret: valueFrom.secretKeyRef.name, key: valueFrom.secretKeyRef.key, optional: false }] : [],
      ),
      ...(container.envFrom ?? []).flatMap(({ secretRef }) =>
        secretRef ? [{ secret: secretRef.name, key: null, optional: secretRef.optional ?? false }] : [],
      ),
    ]),
  ];
}

describe.skipIf(!hasKubectl).each(OVERLAYS)("the overlay %s (skipped without kubectl)", (overlay) => {
  it("gives each service only the Secret of its own login, and the command makes each Secret and key that a pod names", () => {
    const made = new Map((secrets.get(brokerOf(overlay)) ?? []).map((secret) => [secret.metadata.name, stringDataOf(secret)]));
    for (const { object, template } of workloadsOf(overlay)) {
      const used = secretsUsed(template).filter(({ optional }) => !optional);
      for (const { secret, key } of used) {
        expect(made.has(secret)).toBe(true);
        if (key !== null) expect(Object.keys(made.get(secret) ?? {})).toContain(key);
      }
      const own = object.metadata.name === "toolbus-set-up" ? "toolbus-setup" : `toolbus-${object.metadata.name}`;
      expect([...new Set(used.map(({ secret }) => secret))]).toEqual(object.metadata.name === "release-api" ? [] : [own]);
    }
  });

  it("gives the model's key to the agent alone", () => {
    const withModel = workloadsOf(overlay).filter(({ template }) => secretsUsed(template).some(({ secret }) => secret === "toolbus-model"));
    expect(withModel.map(({ object }) => object.metadata.name)).toEqual(["agent"]);
  });

  it("runs one Deployment for each service and each toolset, as a user without rights, with an account of its own that has no token", () => {
    const services = servicesOf(overlay).map(({ object }) => object.metadata.name);
    expect(services.toSorted()).toEqual(["agent", "approvals", "gateway", "worker-mcp", "worker-operations", "worker-release"]);
    const accounts = objectsOf(overlay).filter(({ kind }) => kind === "ServiceAccount");
    for (const account of accounts) expect(account["automountServiceAccountToken"]).toBe(false);
    for (const { object, template } of workloadsOf(overlay)) {
      const { spec } = template;
      const account = object.metadata.name === "toolbus-set-up" ? "set-up" : object.metadata.name;
      expect(spec.serviceAccountName).toBe(account);
      expect(accounts.map(({ metadata }) => metadata.name)).toContain(account);
      expect(spec.automountServiceAccountToken).toBe(false);
      expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } });
      for (const field of ["hostNetwork", "hostPID", "hostIPC"]) expect(spec[field]).toBeUndefined();
      expect((spec.volumes ?? []).filter(({ hostPath }) => hostPath)).toEqual([]);
      for (const { securityContext, resources } of spec.containers) {
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
        });
        expect(resources).toMatchObject({
          requests: { cpu: expect.any(String), memory: expect.any(String) },
          limits: { memory: expect.any(String) },
        });
      }
    }
  });

  it("asks each service for its health at a port that it names, starts a new pod before it stops an old one, and waits longer than a drain takes", () => {
    for (const { object, template } of servicesOf(overlay)) {
      const [container] = template.spec.containers;
      const ports = (container?.ports ?? []).map(({ name }) => name);
      const probes = ["startupProbe", "readinessProbe", "livenessProbe"].map(
        (probe) => container?.[probe] as { httpGet: { path: string; port: string } },
      );
      expect(probes.map(({ httpGet }) => httpGet.path)).toEqual(["/healthz", "/readyz", "/healthz"]);
      for (const { httpGet } of probes) expect(ports).toContain(httpGet.port);
      // DRAIN_MS is 25 s by default, after the pause before the stop.
      expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(25 + 5 + 5);
      expect(object.spec?.["strategy"]).toMatchObject({ rollingUpdate: { maxUnavailable: 0 } });
    }
  });

  it("selects the pods that each Service, budget, scaler and Deployment means", () => {
    const workloads = workloadsOf(overlay);
    const selected = (selector: Readonly<Record<string, string>>): readonly Workload[] =>
      workloads.filter(({ template }) => Object.entries(selector).every(([key, value]) => template.metadata.labels[key] === value));
    for (const object of objectsOf(overlay)) {
      const selector = object.spec?.["selector"] as ({ matchLabels?: Record<string, string> } & Record<string, string>) | undefined;
      const labels = selector?.matchLabels ?? selector;
      if (labels && ["Service", "Deployment", "StatefulSet", "PodDisruptionBudget"].includes(object.kind)) {
        const found = selected(labels as Record<string, string>);
        expect(found.map((one) => one.object.metadata.name)).toEqual([object.metadata.name]);
        const ports = (object.spec?.["ports"] ?? []) as readonly { readonly targetPort: string }[];
        for (const { targetPort } of ports)
          expect(found[0]?.template.spec.containers[0]?.ports?.map(({ name }) => name)).toContain(targetPort);
      }
      const target = object.spec?.["scaleTargetRef"] as { readonly name: string } | undefined;
      if (target) {
        const scaled = objectsOf(overlay).find(({ kind, metadata }) => kind === "Deployment" && metadata.name === target.name);
        expect(scaled).toBeDefined();
        expect(scaled?.spec?.["replicas"]).toBeUndefined();
      }
    }
  });

  it("defines each ConfigMap and each volume that a pod names", () => {
    const maps = objectsOf(overlay)
      .filter(({ kind }) => kind === "ConfigMap")
      .map(({ metadata }) => metadata.name);
    for (const { object, template } of workloadsOf(overlay)) {
      const { volumes = [], containers } = template.spec;
      for (const { configMap } of volumes) if (configMap) expect(maps).toContain(configMap.name);
      const claims = (object.spec?.["volumeClaimTemplates"] ?? []) as readonly RenderedObject[];
      const known = [...volumes.map(({ name }) => name), ...claims.map(({ metadata }) => metadata.name)];
      for (const { envFrom = [], volumeMounts = [] } of containers) {
        for (const { configMapRef } of envFrom) if (configMapRef) expect(maps).toContain(configMapRef.name);
        for (const { name } of volumeMounts) expect(known).toContain(name);
      }
    }
  });

  it("denies all traffic by default, lets only the gateway and approvals take traffic from anywhere, and only workers reach their targets", () => {
    const policies = objectsOf(overlay).filter(({ kind }) => kind === "NetworkPolicy");
    const denied = policies.filter(({ spec }) => JSON.stringify(spec?.["podSelector"]) === "{}" && !spec?.["ingress"] && !spec?.["egress"]);
    expect(denied.map(({ spec }) => spec?.["policyTypes"])).toEqual([["Ingress", "Egress"]]);
    const open = policies.filter(({ spec }) =>
      ((spec?.["ingress"] ?? []) as readonly { from?: unknown }[]).some(({ from }) => from === undefined),
    );
    expect(open.map(({ spec }) => (spec?.["podSelector"] as { matchLabels: object } | undefined)?.matchLabels)).toEqual([
      { "app.kubernetes.io/component": "approvals" },
      { "app.kubernetes.io/component": "gateway" },
    ]);
    const toTarget = policies.filter(({ metadata }) => metadata.name === "worker-to-release-api");
    expect(toTarget.map(({ spec }) => spec?.["podSelector"])).toEqual([
      { matchLabels: { "app.kubernetes.io/component": "worker-release" } },
    ]);
  });
});

describe.skipIf(!hasKubectl)("the stamp of the registry", () => {
  it("is that of the tools and limits of this commit", async () => {
    const args = ["apps/cli/src/toolbus/main.ts", "tools", "stamp", "--toolsets", "release", "--json"];
    const { stdout } = await run(process.execPath, args, { cwd: root, timeout: 60_000 });
    const stamp = objectsOf("rabbitmq").find(({ metadata }) => metadata.name === "toolbus-registry-stamp");
    expect(JSON.parse(stamp?.data?.["stamp.json"] ?? "{}")).toEqual(JSON.parse(stdout));
  });
});

describe.skipIf(!hasKubectl)("scaling", () => {
  it("RabbitMQ: KEDA counts queues that exist, with the login of the service that it scales", () => {
    const made = new Map((secrets.get("amqp") ?? []).map((secret) => [secret.metadata.name, stringDataOf(secret)]));
    const { queues } = JSON.parse(made.get("toolbus-rabbitmq")?.["rabbitmq-definitions.json"] ?? "{}") as {
      queues: readonly { name: string }[];
    };
    const scaled = objectsOf("production").filter(({ kind }) => kind === "ScaledObject");
    expect(scaled.map(({ metadata }) => metadata.name).toSorted()).toEqual(["agent", "worker-mcp", "worker-release"]);
    for (const { metadata, spec } of scaled) {
      const [trigger] = (spec?.["triggers"] ?? []) as readonly { metadata: Record<string, string>; authenticationRef: { name: string } }[];
      expect(queues.map(({ name }) => name)).toContain(trigger?.metadata["queueName"]);
      const authentication = objectsOf("production").find(
        (one) => one.kind === "TriggerAuthentication" && one.metadata.name === trigger?.authenticationRef.name,
      );
      const [reference] = (authentication?.spec?.["secretTargetRef"] ?? []) as readonly { name: string; key: string; parameter: string }[];
      expect(reference).toEqual({ parameter: "host", name: `toolbus-${metadata.name}`, key: "BUS_URL" });
      expect(made.get(reference?.name ?? "")).toHaveProperty("BUS_URL");
    }
  });

  it("NATS: KEDA counts streams and consumers that exist", () => {
    const made = new Map((secrets.get("nats") ?? []).map((secret) => [secret.metadata.name, stringDataOf(secret)]));
    const rights = made.get("toolbus-nats")?.["nats.conf"] ?? "";
    const scaled = objectsOf("production-nats").filter(({ kind }) => kind === "ScaledObject");
    expect(scaled.map(({ metadata }) => metadata.name).toSorted()).toEqual(["agent", "worker-mcp", "worker-release"]);
    for (const { spec } of scaled) {
      const [trigger] = (spec?.["triggers"] ?? []) as readonly { metadata: Record<string, string> }[];
      expect(rights).toContain(`$JS.API.CONSUMER.MSG.NEXT.${trigger?.metadata["stream"]}.${trigger?.metadata["consumer"]}"`);
    }
  });
});

import { beforeAll, describe, expect, it } from "vitest";
import { hasKubectl, OVERLAYS, type RenderedObject, renderedObjects } from "./rendered-objects.ts";

interface PodSpec {
  readonly serviceAccountName?: string;
  readonly automountServiceAccountToken?: boolean;
  readonly securityContext?: object;
  readonly containers: readonly {
    readonly args?: readonly string[];
    readonly securityContext?: object;
    readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
  }[];
  readonly volumes?: readonly {
    readonly name: string;
    readonly emptyDir?: { readonly medium?: string };
    readonly projected?: { readonly sources: readonly { readonly serviceAccountToken?: object }[] };
  }[];
}

let bootstrap: readonly RenderedObject[] = [];
let others: readonly RenderedObject[] = [];

beforeAll(async () => {
  if (!hasKubectl) return;
  bootstrap = await renderedObjects("bootstrap");
  others = (await Promise.all(OVERLAYS.map(renderedObjects))).flat();
}, 60_000);

const one = (kind: string): RenderedObject | undefined => bootstrap.find((object) => object.kind === kind);
const podOf = (object: RenderedObject | undefined): PodSpec | undefined =>
  (object?.spec?.["template"] as { readonly spec: PodSpec } | undefined)?.spec;

/** The objects with a pod that has a token of the cluster. A pod that does not refuse the automatic token has one. */
const withToken = (objects: readonly RenderedObject[]): readonly string[] =>
  objects.flatMap((object) => {
    const pod = podOf(object);
    const projected = pod?.volumes?.some((volume) => volume.projected?.sources.some((source) => source.serviceAccountToken));
    return pod && (projected || pod.automountServiceAccountToken !== false) ? [`${object.kind} ${object.metadata.name}`] : [];
  });

describe.skipIf(!hasKubectl)("the bootstrap job (skipped without kubectl)", () => {
  it("is the only pod with a token, and no overlay of services has its account or any rights in the cluster", () => {
    const all = [...others, ...bootstrap];
    expect(withToken(all)).toEqual(["Job toolbus-bootstrap"]);
    const accounts = all.filter(({ kind }) => kind === "ServiceAccount");
    expect(accounts.filter((account) => account["automountServiceAccountToken"] !== false)).toEqual([]);
    expect(others.filter(({ kind }) => /Role/.test(kind))).toEqual([]);
    expect(others.filter((object) => podOf(object)?.serviceAccountName === "bootstrap")).toEqual([]);
  });

  it("may only create Secrets of its namespace and read the first of them", () => {
    expect(one("Role")?.["rules"]).toEqual([
      { apiGroups: [""], resources: ["secrets"], verbs: ["create"] },
      { apiGroups: [""], resources: ["secrets"], resourceNames: ["toolbus-bootstrap"], verbs: ["get"] },
    ]);
    expect(one("RoleBinding")).toMatchObject({
      roleRef: { kind: "Role", name: "bootstrap" },
      subjects: [{ kind: "ServiceAccount", name: "bootstrap", namespace: "toolbus" }],
    });
    expect(podOf(one("Job"))?.serviceAccountName).toBe("bootstrap");
  });

  it("is removed with its overlay, which has no object of a service", () => {
    expect(bootstrap.map(({ kind }) => kind).toSorted()).toEqual(["Job", "NetworkPolicy", "Role", "RoleBinding", "ServiceAccount"]);
    expect(bootstrap.filter(({ metadata }) => metadata.namespace !== "toolbus")).toEqual([]);
    const names = new Set(others.map(({ kind, metadata }) => `${kind} ${metadata.name}`));
    expect(bootstrap.filter(({ kind, metadata }) => names.has(`${kind} ${metadata.name}`))).toEqual([]);
  });

  it("runs as restricted as the job that sets up the servers, keeps its data in memory, and is removed soon after its end", () => {
    const setUp = podOf(others.find(({ kind, metadata }) => kind === "Job" && metadata.name === "toolbus-set-up"));
    const pod = podOf(one("Job"));
    expect(setUp?.securityContext).toMatchObject({ runAsNonRoot: true });
    expect(pod?.securityContext).toEqual(setUp?.securityContext);
    expect(pod?.containers.map(({ securityContext }) => securityContext)).toEqual(
      setUp?.containers.map(({ securityContext }) => securityContext),
    );
    expect(one("Job")?.spec).toMatchObject({ activeDeadlineSeconds: 300, ttlSecondsAfterFinished: 600 });
    const { args = [], volumeMounts } = pod?.containers[0] ?? {};
    expect(args.slice(1, 4)).toEqual(["permissions", "--kubernetes", "--apply"]);
    const data = volumeMounts?.find(({ mountPath }) => mountPath === args[args.indexOf("--data") + 1]);
    expect(pod?.volumes?.find(({ name }) => name === data?.name)?.emptyDir?.medium).toBe("Memory");
  });

  it("takes no traffic, and reaches only the ports of an API server", () => {
    expect(one("NetworkPolicy")?.spec).toMatchObject({
      podSelector: { matchLabels: { "app.kubernetes.io/component": "bootstrap" } },
      policyTypes: ["Ingress", "Egress"],
    });
    expect(one("NetworkPolicy")?.spec?.["ingress"]).toBeUndefined();
    expect(one("NetworkPolicy")?.spec?.["egress"]).toEqual([
      { to: [{ ipBlock: { cidr: "0.0.0.0/0" } }], ports: [443, 6443].map((port) => ({ protocol: "TCP", port })) },
    ]);
    const template = one("Job")?.spec?.["template"] as { readonly metadata: { readonly labels: object } } | undefined;
    expect(template?.metadata.labels).toMatchObject({ "app.kubernetes.io/component": "bootstrap" });
  });
});

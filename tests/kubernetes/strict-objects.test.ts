import { describe, expect, it } from "vitest";
import { hasKubectl, objectsIn, OVERLAYS, renderedObjects } from "./rendered-objects.ts";
import { faultsOf } from "./strict-objects.ts";

const DEPLOYMENT = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: agent }
spec:
  selector: { matchLabels: { a: b } }
  template:
    metadata: { labels: { a: b } }
    spec: { containers: [{ name: service, image: toolbus }] }
`;
const SCALED = `
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: { name: agent }
spec: { scaleTargetRef: { name: agent }, triggers: [{ type: rabbitmq, metadata: { value: "5" } }] }
`;

describe("the objects of Kubernetes", () => {
  it.skipIf(!hasKubectl)(
    "kustomize accepts each overlay, and each object has only fields and values that the API knows (skipped without kubectl)",
    async () => {
      const rendered = await Promise.all(OVERLAYS.map(renderedObjects));
      for (const objects of rendered) expect(objects.length).toBeGreaterThan(30);
      rendered.push(await renderedObjects("bootstrap"));
      const different = new Map(rendered.flat().map((object) => [JSON.stringify(object), object]));
      expect(await faultsOf([...different.values()])).toEqual([]);
    },
  );

  it("finds a misspelt field, a wrong type, and the same in a custom resource", async () => {
    const broken = [
      DEPLOYMENT.replace("image:", "imagee:"),
      DEPLOYMENT.replace("spec:\n  selector", "spec:\n  replicas: two\n  selector"),
      SCALED.replace("scaleTargetRef", "scaleTarget"),
      SCALED.replace('"5"', "5"),
      DEPLOYMENT,
      SCALED,
    ].flatMap(objectsIn);
    const faults = await faultsOf(broken);
    expect(faults).toContainEqual(expect.stringMatching(/^Deployment agent: .*imagee.*does not exist/));
    expect(faults).toContainEqual(expect.stringMatching(/^Deployment agent: .*replicas/));
    expect(faults).toContainEqual(expect.stringMatching(/^ScaledObject agent: .*scaleTarget.*does not exist/));
    expect(faults).toContainEqual(expect.stringMatching(/^ScaledObject agent: .*Type 'number' is not assignable to type 'string'/));
    expect(await faultsOf(objectsIn(`${DEPLOYMENT}---${SCALED}`))).toEqual([]);
  });
});

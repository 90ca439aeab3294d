import { describe, expect, it } from "vitest";
import { breakableReleaseApi } from "./testing/breakable-release-api.ts";
import { call, follow } from "./testing/http-client.ts";
import { scratch } from "./testing/scratch.ts";
import { tracedSystem } from "./testing/traced-system.ts";

const PATIENCE = { timeout: 20_000, interval: 50 };

describe("the metrics of a dependency", () => {
  it("show what the definitions promise, the calls by outcome, and a breaker that opens", async () => {
    await using begun = new AsyncDisposableStack();
    const files = scratch();
    begun.defer(() => files.remove());
    const api = await breakableReleaseApi();
    begun.defer(() => api.stop());
    const traced = await tracedSystem(files.data(), { RELEASE_API_URL: api.url, OTEL_METRIC_EXPORT_INTERVAL: "200" });
    begun.defer(() => traced.stop());
    /** Returns the latest value of each series, by its tags. */
    const latest = (metric: string): Readonly<Record<string, number | undefined>> => {
      const { points = [], values = [] } = traced.receiver.metrics().findLast(({ name }) => name === metric) ?? {};
      return Object.fromEntries(
        points.map((tags, n) => [
          Object.values(tags)
            .map(String)
            .toSorted((a, b) => a.localeCompare(b))
            .join(" "),
          values[n],
        ]),
      );
    };
    await expect
      .poll(() => latest("toolbus.tool.slo.p99"), PATIENCE)
      .toEqual({
        "file_risk_report release": 5000,
        "get_code_changes release": 15_000,
        "get_past_releases release": 10_000,
        "get_release_summary release": 2000,
        "get_test_details release": 2000,
        "get_traces release": 2000,
      });
    expect(latest("toolbus.tool.slo.success_rate")).toMatchObject({ "file_risk_report release": 0.99 });
    expect(latest("toolbus.dependency.budget.p99")).toMatchObject({ "get_release_summary release release-api": 2000 });
    await expect.poll(() => latest("toolbus.dependency.breaker"), PATIENCE).toEqual({ "release-api": 0 });

    await api.become("answers 500");
    // Each call is tried twice, so the third one opens the breaker.
    for (let n = 0; n < 3; n++) {
      const { gateway, user } = traced.requester;
      const { body } = await call(`${gateway}/v1/conversations`, user, {});
      const { conversationId } = body as { readonly conversationId: string };
      const text = 'get_release_summary {"release_id":"v1"}';
      const sent = await call(`${gateway}/v1/conversations/${conversationId}/messages`, user, { text });
      await follow(traced.requester, (sent.body as { readonly runId: string }).runId);
    }
    await expect.poll(() => latest("toolbus.dependency.breaker"), PATIENCE).toEqual({ "release-api": 2 });
    expect(latest("toolbus.dependency.calls")).toMatchObject({ "fails get_release_summary release-api": 5 });
    expect(latest("toolbus.dependency.duration")["fails get_release_summary release-api"]).toBeGreaterThan(0);
  });
});

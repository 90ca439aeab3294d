import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { launchChromium, NO_CHROMIUM } from "./testing/chromium.ts";
import { faultsOf } from "./testing/page-faults.ts";
import { runProgram } from "./testing/program.ts";

const ATTACK = `<img src=x onerror="document.title='broken'"><script>document.title='broken'</script>`;
const TOOLBUS = path.join(import.meta.dirname, "../../apps/cli/src/toolbus/main.ts");
/** If this is set, the test saves a picture of the page in this folder, for people to look at. */
const PICTURES = process.env["PICTURES_FOLDER"];

/** Makes the text of a result with two variants, several tags, failures, an error and texts that attack the page. */
function resultText(): string {
  const scenarios = Array.from({ length: 12 }, (_, n) => `release-${n}`);
  const trials = ["default", "short-prompt"].flatMap((variant) =>
    scenarios.map((scenario, n) => {
      const failed = n % (variant === "default" ? 3 : 5) === 0;
      const scores = ["tool_use", "decision", "judge"].map((dimension) => ({
        name: `${dimension} check`,
        dimension,
        value: failed ? 0.25 : 1,
        passed: !failed,
        reason: failed ? `It said ${ATTACK} and a-very-long-word-${"x".repeat(200)}` : "As expected.",
        ...(dimension === "judge" ? { advisory: true } : {}),
      }));
      const status = n === 7 ? "error" : failed ? "failed" : "passed";
      const usage = {
        rounds: 2,
        toolCalls: 3,
        inputTokens: 900,
        outputTokens: 90,
        costMicroUsd: n === 4 ? null : 900 + n * 40,
        elapsedMs: 300 + n * 90,
      };
      return { scenario, variant, repeat: 1, status, scores, usage, ...(n === 7 ? { problem: ATTACK } : {}) };
    }),
  );
  return JSON.stringify({
    format: "toolbus-eval-result/1",
    suite: "release-risk",
    suiteHash: "sha256-0123456789abcdef",
    scenarioHashes: Object.fromEntries(scenarios.map((id) => [id, id])),
    tags: Object.fromEntries(scenarios.map((id, n) => [id, [n % 2 === 0 ? "high" : "low", ...(n === 3 ? [ATTACK] : [])]])),
    models: { default: "offline rules-1", "short-prompt": ATTACK },
    startedAt: "2026-11-29T06:00:00.000Z",
    endedAt: "2026-11-29T06:01:00.000Z",
    trials,
  });
}

describe("the report page of an evaluation, in a real browser", () => {
  let browser: Browser | null = null;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());
  beforeEach((test) => {
    if (NO_CHROMIUM !== null) test.skip(NO_CHROMIUM);
  });

  it.each([
    ["light", { width: 1280, height: 900 }],
    ["dark", { width: 1280, height: 900 }],
    ["light", { width: 375, height: 740 }],
    ["dark", { width: 375, height: 740 }],
  ] as const)("has no fault that axe finds, runs nothing of an attack and asks no server, in %s at %o", async (colorScheme, viewport) => {
    await using folder = await mkdtempDisposable(path.join(tmpdir(), "eval-page-"));
    const [result, page] = ["result.json", "report.html"].map((name) => path.join(folder.path, name));
    await writeFile(result ?? "", resultText());
    const { code, stderr } = await runProgram(TOOLBUS, ["eval", "report", result ?? "", "--format", "html", "--out", page ?? ""]);
    expect([code, stderr]).toEqual([0, ""]);

    const context = await browser!.newContext({ colorScheme, viewport });
    const asked: string[] = [];
    const opened = await context.newPage();
    opened.on("request", (request) => asked.push(request.url()));
    await opened.goto(pathToFileURL(page ?? "").href);
    expect(asked).toEqual([pathToFileURL(page ?? "").href]);
    expect(await opened.title()).toBe("Evaluation of release-risk");
    expect(await opened.locator("main").innerText()).toContain("document.title='broken'");
    expect(await opened.locator("main img, script").count()).toBe(0);
    expect(await opened.getByRole("img").count()).toBe(8);
    expect(await faultsOf(context, opened)).toEqual({ pixelsTooWide: 0, violations: [] });
    if (PICTURES !== undefined)
      await opened.screenshot({ path: path.join(PICTURES, `eval-report-${colorScheme}-${viewport.width}.png`), fullPage: true });
    await context.close();
  });
});

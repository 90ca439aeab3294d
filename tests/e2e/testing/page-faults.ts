import axe from "axe-core";
import type { BrowserContext, Page } from "playwright-core";

/**
 * Returns by how many pixels the page is wider than the window, and the faults that axe finds. The page's own policy allows no script, so the checks
 * run through the browser's debugger interface.
 */
export async function faultsOf(context: BrowserContext, page: Page): Promise<unknown> {
  const session = await context.newCDPSession(page);
  await session.send("Runtime.evaluate", { expression: axe.source });
  const { result } = await session.send("Runtime.evaluate", { expression: FAULTS, awaitPromise: true });
  await session.detach();
  return JSON.parse(String(result.value));
}

const FAULTS = `axe.run(document).then(({ violations }) => JSON.stringify({
  pixelsTooWide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  violations: violations.map(({ id, impact, nodes }) => [id, impact, nodes[0].html]),
}))`;

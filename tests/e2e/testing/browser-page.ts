import type { Page } from "playwright-core";

/** An event that a page's EventSource received. */
export interface Heard {
  readonly name: string;
  readonly id: string;
  readonly data: string;
}

/** A page that watches a run with only the browser's own EventSource. */
export interface WatchingPage {
  /** Requests a ticket for the stream, as a console with a key in memory would. Returns the HTTP status. */
  askForTicket(runId: string, apiKey: string): Promise<number>;
  watch(url: string, options?: { readonly withCredentials: boolean }): Promise<void>;
  /** Resolves when an event of this name has been received, with all events so far. */
  hears(name: string): Promise<readonly Heard[]>;
  /** Resolves when the EventSource is in this state. */
  becomes(state: "connecting" | "open" | "closed"): Promise<void>;
  heard(): Promise<readonly Heard[]>;
}

const STATES = { connecting: 0, open: 1, closed: 2 } as const;
const NAMES =
  `run.queued run.started turn call.held call.decided call.asked call.resolved run.cancelling run.completed run.failed run.cancelled
  delta reset progress bye`.split(/\s+/);
const DEADLINE_MS = 60_000;

/** Opens an empty page at this origin. The test answers the page's request itself, so no server at the origin is needed. */
export async function watchingPage(page: Page, origin: string): Promise<WatchingPage> {
  const address = `${origin}/page-of-the-test`;
  await page.route(address, (route) => route.fulfill({ contentType: "text/html", body: "<!doctype html><title>watching</title>" }));
  await page.goto(address);
  // Later requests are not intercepted.
  await page.unroute(address);
  await page.evaluate("window.heard = []");
  const heard = (): Promise<readonly Heard[]> => page.evaluate("window.heard");
  return {
    askForTicket: (runId, apiKey) =>
      page.evaluate(async ([url, key]) => (await fetch(url, { method: "POST", headers: { authorization: `Bearer ${key}` } })).status, [
        `/v1/runs/${runId}/stream-ticket`,
        apiKey,
      ] as const),
    watch: (url, options = { withCredentials: false }) =>
      page.evaluate(
        `{
          const source = window.source = new EventSource(${JSON.stringify(url)}, ${JSON.stringify(options)});
          for (const name of ${JSON.stringify(NAMES)})
            source.addEventListener(name, (event) => window.heard.push({ name, id: event.lastEventId, data: event.data }));
        }`,
      ),
    async hears(name) {
      await page.waitForFunction(`window.heard.some((event) => event.name === ${JSON.stringify(name)})`, undefined, {
        timeout: DEADLINE_MS,
      });
      return heard();
    },
    async becomes(state) {
      await page.waitForFunction(`window.source.readyState === ${STATES[state]}`, undefined, { timeout: DEADLINE_MS });
    },
    heard,
  };
}

import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import path from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { launchChromium, NO_CHROMIUM } from "./testing/chromium.ts";
import { type CliUnderTest, cliUnderTest, RELEASE } from "./testing/cli-under-test.ts";
import { approve } from "./testing/http-client.ts";

const PAGE = readFileSync(path.resolve(import.meta.dirname, "../../examples/chat-page/index.html"));
const READ = `get_release_summary {"release_id": "${RELEASE}"}`;
const WRITE = `file_risk_report {"release_id": "${RELEASE}", "severity": "low", "findings": ["All tests pass."]}`;
const ASK = 'ask_user {"question": "Which colour?", "options": ["red", "blue"]}';
const PATIENCE = { timeout: 20_000, interval: 50 };

describe("the chat page of the examples, in a real browser", () => {
  let browser: Browser | null = null;
  let cli: CliUnderTest;
  const servers: Server[] = [];
  /** Three origins of the page: one that the gateway allows, one that it refuses, and one that serves both the page and the gateway. */
  const origins = { named: "", stranger: "", shared: "" };

  beforeAll(async () => {
    browser = await launchChromium();
    if (!browser) return;
    origins.named = await served(page);
    origins.stranger = await served(page);
    cli = await cliUnderTest({ CORS_ORIGINS: origins.named });
    origins.shared = await served((asked, answer) =>
      asked.url?.startsWith("/v1/") ? passedOn(asked, answer, cli.gateway) : page(asked, answer),
    );
  });
  afterAll(async () => {
    await browser?.close();
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
    await cli?.stop();
  });
  beforeEach((test) => {
    if (NO_CHROMIUM !== null) test.skip(NO_CHROMIUM);
  });

  it("talks with a gateway of another origin, and shows text and tools as they come", async () => {
    const { log, say, asked } = await chat(origins.named, cli.gateway);
    await say("hello");
    await expect.poll(log, PATIENCE).toMatch(/^hello\n[\s\S]*I run the tool that your message names[\s\S]*\ndone$/);
    await say(READ);
    await expect.poll(log, PATIENCE).toMatch(/→ get_release_summary [\s\S]*\n✓ get_release_summary ok\n[\s\S]*\ndone$/);
    expect(asked().filter((url) => url.endsWith("/stream-ticket"))).toEqual([]);
  });

  it("follows a run by EventSource and a ticket where page and gateway have one origin", async () => {
    const { log, say, asked } = await chat(origins.shared, origins.shared);
    await say(READ);
    await expect.poll(log, PATIENCE).toMatch(/\n✓ get_release_summary ok\n[\s\S]*\ndone$/);
    expect(asked().filter((url) => url.endsWith("/stream-ticket"))).toHaveLength(1);
  });

  it("shows a write that waits, and what it did once a person has approved it elsewhere", async () => {
    const { log, say } = await chat(origins.named, cli.gateway);
    await say(WRITE);
    await expect.poll(log, PATIENCE).toMatch(/‖ file_risk_report waits for a person \(high\): File a low risk report/);
    const [, approvalId = ""] = /It is (ap_\S+)\./.exec(await log()) ?? [];
    await approve(cli, approvalId);
    await expect.poll(log, PATIENCE).toMatch(/\ndone$/);
    expect(await log()).toMatch(
      /\nfile_risk_report was approved by approver:local\.\n[^]*✓ file_risk_report ok\n[^]*\nWritten: File a low risk report/,
    );
  });

  it.each([
    { how: "by a button", act: (opened: Page) => opened.getByRole("button", { name: "blue" }).click(), answer: "blue" },
    {
      how: "in words",
      async act(opened: Page) {
        await opened.getByLabel("Answer").fill("green, please");
        await opened.getByRole("button", { name: "Answer" }).click();
      },
      answer: "green, please",
    },
  ])("lets the person answer a question $how", async ({ act, answer }) => {
    const { log, say, opened } = await chat(origins.named, cli.gateway);
    await say(ASK);
    await expect.poll(log, PATIENCE).toContain("? Which colour?");
    await act(opened);
    await expect.poll(log, PATIENCE).toMatch(new RegExp(`\\n${answer}\\n[^]*\\ndone$`));
    expect(await opened.getByLabel("Answer").count()).toBe(0);
  });

  it("shows an answer before what follows from it, though the response to it comes after the end of the run", async () => {
    const { log, say, opened } = await chat(origins.named, cli.gateway);
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    await opened.route("**/answers", async (asked) => {
      const response = await asked.fetch();
      await ended;
      await asked.fulfill({ response });
    });
    await say(ASK);
    await opened.getByRole("button", { name: "blue" }).click();
    await expect.poll(log, PATIENCE).toMatch(/\ndone$/);
    const answered = opened.waitForResponse("**/answers");
    end();
    await answered;
    expect(await log()).toMatch(/\nblue\n✓ ask_user ok\n[^]*\ndone$/);
  });

  it("cancels a run, and shows who did", async () => {
    const { log, say, opened } = await chat(origins.named, cli.gateway);
    await say(WRITE);
    await expect.poll(log, PATIENCE).toContain("waits for a person");
    await opened.getByRole("button", { name: "Cancel" }).click();
    await expect.poll(log, PATIENCE).toMatch(/\nuser:local cancelled it\.[^]*✗ file_risk_report cancelled\n[^]*cancelled\.$/);
    expect(await opened.getByRole("button", { name: "Cancel" }).isVisible()).toBe(false);
  });

  it.each(["run.started", "turn", "call.resolved"])(
    "continues a stream that was cut after its first %s, with no event lost or shown twice",
    async (type) => {
      const whole = await chat(origins.named, cli.gateway);
      await whole.say(READ);
      await expect.poll(whole.log, PATIENCE).toMatch(/\ndone$/);
      let cuts = 0;
      // The proxy breaks the stream once, after an event of this type. The next stream is complete.
      const upTo = (text: string): string | null => {
        const at = text.indexOf(`event: ${type}\n`);
        return at < 0 || cuts++ > 0 ? null : text.slice(0, text.indexOf("\n\n", at) + 2);
      };
      const cutting = await served((asked, answer) => passedOn(asked, answer, cli.gateway, upTo));
      const { log, say, asked } = await chat(origins.named, cutting);
      await say(READ);
      await expect.poll(log, PATIENCE).toMatch(/\ndone$/);
      expect(cuts).toBeGreaterThan(0);
      expect(asked().filter((url) => url.endsWith("/events"))).toHaveLength(2);
      expect(await log()).toBe(await whole.log());
    },
  );

  it("says what to do if the gateway does not accept its origin", async () => {
    const { log, say } = await chat(origins.stranger, cli.gateway);
    await say("hello");
    await expect.poll(log, PATIENCE).toContain(`start it with CORS_ORIGINS=${origins.stranger}.`);
  });

  it("shows the gateway's answer to a wrong key", async () => {
    const { log, say } = await chat(origins.named, cli.gateway, "tb_user_nobody");
    await say("hello");
    await expect.poll(log, PATIENCE).toMatch(/API key/);
  });

  /** Opens a page at this origin that uses this gateway. Returns the page's log, and functions that act on the page as a person does. */
  async function chat(origin: string, gateway: string, key = cli.user) {
    if (!browser) throw new Error("There is no browser.");
    const opened: Page = await (await browser.newContext()).newPage();
    const requests: string[] = [];
    opened.on("request", (one) => void requests.push(one.url()));
    await opened.goto(`${origin}/?gateway=${encodeURIComponent(gateway)}`);
    await opened.getByLabel("Key").fill(key);
    return {
      opened,
      log: () => opened.getByRole("log").innerText(),
      asked: (): readonly string[] => requests,
      async say(text: string) {
        await opened.getByLabel("Message").fill(text);
        await opened.getByRole("button", { name: "Send" }).click();
      },
    };
  }

  async function served(handle: (asked: IncomingMessage, answer: ServerResponse) => void): Promise<string> {
    const server = createServer(handle);
    servers.push(server);
    const { promise, resolve } = Promise.withResolvers<void>();
    server.listen(0, "127.0.0.1", resolve);
    await promise;
    const address = server.address();
    return `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
  }
});

function page(_asked: IncomingMessage, answer: ServerResponse): void {
  answer.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(PAGE);
}

/**
 * Forwards a request to the gateway, as a proxy does. If `upTo` returns a text, that text is the last piece that the proxy sends before it breaks the
 * connection.
 */
function passedOn(
  asked: IncomingMessage,
  answer: ServerResponse,
  gateway: string,
  upTo: (text: string) => string | null = () => null,
): void {
  const passed = request(new URL(asked.url ?? "/", gateway), { method: asked.method, headers: asked.headers }, (reply) => {
    answer.writeHead(reply.statusCode ?? 502, reply.headers);
    let over = false;
    reply.on("data", (piece: Buffer) => {
      if (over) return;
      const last = upTo(piece.toString());
      over = last !== null;
      // The socket is ended only after the last piece was written, because a reset could overtake that piece.
      if (over) answer.write(last, () => answer.socket?.end());
      else answer.write(piece);
    });
    reply.on("end", () => over || answer.end());
  });
  passed.on("error", () => answer.destroy());
  answer.on("close", () => passed.destroy());
  asked.pipe(passed);
}

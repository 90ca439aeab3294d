import path from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { launchChromium, NO_CHROMIUM } from "./testing/chromium.ts";
import { type CliUnderTest, cliUnderTest, jsonOf, RELEASE } from "./testing/cli-under-test.ts";
import { call, heldApproval } from "./testing/http-client.ts";
import { faultsOf } from "./testing/page-faults.ts";

const TOOL = "file_risk_report";
const PATIENCE = { timeout: 20_000, interval: 100 };
const WAYS = [
  { size: "desktop", viewport: { width: 1280, height: 900 }, javaScriptEnabled: true },
  { size: "desktop", viewport: { width: 1280, height: 900 }, javaScriptEnabled: false },
  { size: "phone", viewport: { width: 375, height: 740 }, javaScriptEnabled: true },
  { size: "phone", viewport: { width: 375, height: 740 }, javaScriptEnabled: false },
] as const;
type Way = (typeof WAYS)[number];
type StorageState = Awaited<ReturnType<BrowserContext["storageState"]>>;
/** If this is set, the test saves a picture of every page in this folder, for people to look at. */
const PICTURES = process.env["PICTURES_FOLDER"];

describe("the approval page, in a real browser", () => {
  let browser: Browser | null = null;
  let cli: CliUnderTest;
  let second = "";
  /** The cookies of both approvers. The test keeps them, because a person may sign in only ten times a minute. */
  const cookies: StorageState[] = [];

  beforeAll(async () => {
    browser = await launchChromium();
    if (!browser) return;
    cli = await cliUnderTest();
    const { code, stderr } = await cli.run(["tools", "tier", TOOL, "critical"]);
    if (code !== 0) throw new Error(`The tier was not raised: ${stderr}`);
    second = String((await jsonOf(cli, ["keys", "add", "bo", "--role", "approver", "--show"]))["key"]);
    await using visit = await visitor(WAYS[0]);
    for (const key of [cli.approver, second]) {
      // Approvals reads its file of keys every two seconds, so the sign-in is repeated until approvals knows the key.
      while (new URL(visit.page.url()).pathname !== "/approvals") {
        await visit.page.goto(`${cli.approvals}/sign-in`);
        await visit.signIn(key);
      }
      cookies.push(await visit.context.storageState());
      await visit.context.clearCookies();
      await visit.page.goto(`${cli.approvals}/sign-in`);
    }
  });
  afterAll(async () => {
    await browser?.close();
    await cli?.stop();
  });
  beforeEach((test) => {
    if (NO_CHROMIUM !== null) test.skip(NO_CHROMIUM);
  });

  describe.each(WAYS)("of $size size, scripts enabled: $javaScriptEnabled", (way) => {
    it("leads from the address through sign-in, list and card to an approval by two people", async () => {
      const id = await held(cli, ["Two tests fail.", "Ask anna@example.com, or pаypal."]);
      await using first = await visitor(way);
      await first.page.goto(`${cli.approvals}/`);
      await first.looks("sign-in");
      await first.signIn(cli.approver);
      expect(new URL(first.page.url()).pathname).toBe("/approvals");
      await first.looks("list");
      await first.page.locator(`a[href="/approvals/${id}"]`).click();
      const body = first.page.locator("body");
      expect(await body.innerText()).toMatch(/Look closely[^]*mixes letters of several scripts, p\\u0430ypal/);
      expect(await body.innerText()).not.toContain("anna@");
      await first.looks("card");
      await first.page.getByRole("button", { name: "Show this item unmasked" }).click();
      expect(await body.innerText()).toContain("Ask anna@example.com, or pаypal.");
      await first.looks("revealed");
      await first.page.getByLabel("Ticket").fill("OPS-1");
      await first.page.getByLabel("Comment").fill("Looks right.");
      await first.page.getByRole("button", { name: "Approve" }).click();
      expect(await first.page.getByRole("status").innerText()).toBe("You approved this. It needs 1 more approver.");
      expect(await body.innerText()).toContain("pending, 1 of 2 approvers");
      await first.looks("first-approver");

      await using other = await visitor(way);
      await other.page.goto(`${cli.approvals}/approvals/${id}`);
      await other.signIn(second);
      expect(new URL(other.page.url()).pathname).toBe(`/approvals/${id}`);
      await other.page.getByRole("button", { name: "Approve" }).click();
      expect(await other.page.getByRole("status").innerText()).toBe("You approved this.");
      expect(await other.page.locator("body").innerText()).toMatch(
        /approved[^]*approve by [^]*Looks right\. \(ticket OPS-1, via page\)[^]*approve by/,
      );
      await other.looks("approved");
      expect(await stateOf(cli, id)).toBe("approved");
    });

    it("shows what an edit changes, approves it, and the second person sees what was changed", async () => {
      const id = await held(cli, ["Two tests fail.", "Ask anna@example.com."]);
      await using first = await visitor(way, cookies[0]);
      await first.page.goto(`${cli.approvals}/approvals/${id}`);
      await first.page.getByRole("link", { name: "Approve with other arguments" }).click();
      await first.looks("edit");
      await first.page.getByLabel("severity").selectOption('"medium"');
      await first.page.getByLabel("release_id").fill("");
      await first.page.getByRole("button", { name: "Show what changes" }).click();
      expect(await first.page.getByRole("alert").innerText()).toContain("break the schema");
      expect(await first.page.getByLabel("severity").inputValue()).toBe('"medium"');
      await first.looks("edit-refused");
      await first.page.getByLabel("release_id").fill(RELEASE);
      await first.page.getByRole("button", { name: "Show what changes" }).click();
      const body = first.page.locator("body");
      expect(await body.innerText()).toMatch(/"severity" was "[a-z]+" and is "medium"/);
      expect(await body.innerText()).not.toContain("anna@");
      await first.looks("preview");
      await first.page.getByLabel("Ticket").fill("OPS-1");
      await first.page.getByRole("button", { name: "Approve with these arguments" }).click();
      expect(await first.page.getByRole("status").innerText()).toBe("You approved this. It needs 1 more approver.");

      await using other = await visitor(way, cookies[1]);
      await other.page.goto(`${cli.approvals}/approvals/${id}`);
      expect(await other.page.locator("body").innerText()).toMatch(/Take note[^]*Changed by [^]*"severity" was/);
      await other.looks("edited-card");
      await other.page.getByRole("button", { name: "Approve" }).click();
      expect(await stateOf(cli, id)).toBe("approved");
    });

    it("denies with a reason, and shows somebody else's decision to the person who comes late", async () => {
      const id = await held(cli, ["All is well."]);
      await using first = await visitor(way, cookies[0]);
      await using late = await visitor(way, cookies[1]);
      for (const { page } of [first, late]) await page.goto(`${cli.approvals}/approvals/${id}`);
      await first.page.locator("summary", { hasText: "Deny" }).click();
      await first.page.getByLabel("Reason").fill("Not this week.");
      await first.looks("denying");
      await first.page.locator("details[open]").getByRole("button", { name: "Deny" }).click();
      expect(await first.page.getByRole("status").innerText()).toBe("You denied this.");
      await late.page.locator("summary", { hasText: "Ask for a revision" }).click();
      await late.page.getByLabel("What should change").fill("Half of it.");
      await late.page.getByRole("button", { name: "Send it back" }).click();
      expect(await late.page.getByRole("alert").innerText()).toBe('This ended as "rejected".');
      expect(await late.page.locator("body").innerText()).toMatch(/deny by [^]*Not this week\./);
      await late.looks("already-decided");
      expect(await stateOf(cli, id)).toBe("rejected");

      await late.page.getByRole("link", { name: "History" }).click();
      await late.page.getByLabel("Outcome").selectOption("rejected");
      await late.page.getByLabel("Tool").fill(TOOL);
      await late.page.getByRole("button", { name: "Filter" }).click();
      const ended = late.page.locator("li.item", { has: late.page.locator(`a[href="/approvals/${id}"]`) });
      expect(await ended.innerText()).toMatch(/rejected[^]*deny by/);
      await late.looks("history");
    });

    it("says that nothing waits, that an approval is unknown, and that a key is wrong, and signs out", async () => {
      await using visit = await visitor(way);
      await visit.page.goto(`${cli.approvals}/sign-in`);
      await visit.signIn("tb_approver_nobody");
      expect(await visit.page.getByRole("alert").innerText()).toBe("Approvals does not know this key.");
      await visit.looks("wrong-key");
      await visit.signIn(second);
      await visit.page.goto(`${cli.approvals}/approvals/ap_rn_00_01HZX3V5J8K2M4N6P8Q0R2S4T7.1.0`);
      expect(await visit.page.getByRole("alert").innerText()).toMatch(/There is no such approval\./);
      await visit.looks("unknown");
      await visit.page.getByRole("button", { name: "Sign out" }).click();
      expect(new URL(visit.page.url()).pathname).toBe("/sign-in");
      await visit.page.goto(`${cli.approvals}/approvals`);
      expect(new URL(visit.page.url()).pathname).toBe("/sign-in");
    });
  });

  it("opens an approval from a link on another site without a second sign-in, and shows itself in no frame", async () => {
    const id = await held(cli, ["All is well."]);
    await using visit = await visitor(WAYS[0], cookies[0]);
    // Both names are this machine, but a browser treats them as two sites.
    const elsewhere = cli.approvals.replace("127.0.0.1", "localhost");
    await visit.context.route(`${elsewhere}/mail`, (route) =>
      route.fulfill({
        contentType: "text/html",
        body: `<a href="${cli.approvals}/approvals/${id}">Decide</a><iframe src="${cli.approvals}/sign-in"></iframe>`,
      }),
    );
    await visit.page.goto(`${elsewhere}/mail`);
    expect(visit.page.frames().map((frame) => frame.url())).toEqual([`${elsewhere}/mail`, expect.stringMatching(/^chrome-error:/)]);
    await visit.page.getByRole("link", { name: "Decide" }).click();
    await visit.page.getByRole("heading", { name: /File a low risk report/ }).waitFor();
    expect(new URL(visit.page.url()).pathname).toBe(`/approvals/${id}`);
  });

  it("does nothing with a form that a page of another site sends", async () => {
    const id = await held(cli, ["All is well."]);
    await using visit = await visitor(WAYS[0], cookies[0]);
    await visit.page.goto(`${cli.approvals}/approvals/${id}`);
    const inputs: string[] = [];
    for (const input of await visit.page.locator('form[action$="/decision"]').first().locator("input").all())
      inputs.push(`<input name="${await input.getAttribute("name")}" value="${(await input.inputValue()) || "OPS-1"}">`);
    const elsewhere = cli.approvals.replace("127.0.0.1", "localhost");
    // The other site's form has every correct field. But the browser does not send the approver's session cookie with a form from another site.
    await visit.context.route(`${elsewhere}/evil`, (route) =>
      route.fulfill({
        contentType: "text/html",
        body: `<form method="post" action="${cli.approvals}/approvals/${id}/decision">${inputs.join("")}<button>Win a prize</button></form>`,
      }),
    );
    await visit.page.goto(`${elsewhere}/evil`);
    await visit.page.getByRole("button").click();
    await visit.page.getByRole("alert").waitFor();
    expect(await stateOf(cli, id)).toBe("pending");
  });

  it("says that the time to decide was over when a decision came too late", async () => {
    const hasty = await cliUnderTest({ APPROVAL_EXPIRY_MS: "6000" });
    try {
      const id = await held(hasty, ["All is well."]);
      await using visit = await visitor(WAYS[2]);
      await visit.page.goto(`${hasty.approvals}/approvals/${id}`);
      await visit.signIn(hasty.approver);
      const button = visit.page.getByRole("button", { name: "Approve" });
      await button.waitFor();
      await expect.poll(() => stateOf(hasty, id), PATIENCE).toBe("expired");
      await button.click();
      expect(await visit.page.getByRole("alert").innerText()).toBe("The time to decide is over. The write did not run.");
      await visit.looks("expired");
    } finally {
      await hasty.stop();
    }
  });

  /** Opens a separate browser context. `looks` checks the page that is shown, and saves a picture of it if PICTURES_FOLDER is set. */
  async function visitor(way: Way, signedIn?: StorageState) {
    if (!browser) throw new Error("There is no browser.");
    const { size, viewport, javaScriptEnabled } = way;
    const context: BrowserContext = await browser.newContext({
      viewport,
      javaScriptEnabled,
      hasTouch: size === "phone",
      ...(signedIn && { storageState: signedIn }),
    });
    const page: Page = await context.newPage();
    const blocked: string[] = [];
    page.on("console", (said) => void (said.text().includes("Content Security Policy") && blocked.push(said.text())));
    return {
      page,
      context,
      async signIn(key: string) {
        await page.getByLabel("API key").fill(key);
        await page.getByRole("button", { name: "Sign in" }).click();
        await page.waitForLoadState();
      },
      async looks(name: string) {
        if (PICTURES !== undefined)
          await page.screenshot({
            path: path.join(PICTURES, `${name}-${size}-${javaScriptEnabled ? "script" : "plain"}.png`),
            fullPage: true,
          });
        expect(blocked).toEqual([]);
        if (!javaScriptEnabled) return;
        expect(await faultsOf(context, page)).toEqual({ pixelsTooWide: 0, violations: [] });
      },
      async [Symbol.asyncDispose]() {
        await context.close();
      },
    };
  }
});

/** Makes a run ask for a report with these findings. Resolves with the approval's id when the approval waits for a decision. */
async function held(cli: CliUnderTest, findings: readonly string[]): Promise<string> {
  const text = `${TOOL} ${JSON.stringify({ release_id: RELEASE, severity: "low", findings })}`;
  const { body } = await call(`${cli.gateway}/v1/conversations`, cli.user, {});
  const { conversationId } = body as { readonly conversationId: string };
  const sent = await call(`${cli.gateway}/v1/conversations/${conversationId}/messages`, cli.user, { text });
  return heldApproval(cli, (sent.body as { readonly runId: string }).runId);
}

async function stateOf(cli: CliUnderTest, id: string): Promise<string> {
  return String(((await call(`${cli.approvals}/v1/approvals/${id}`, cli.approver)).body as { readonly status: string }).status);
}

import { chmodSync } from "node:fs";
import { type OidcServer, OIDC_CLIENT, startOidcServer } from "@toolbus/oidc-server";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { launchChromium, NO_CHROMIUM } from "./testing/chromium.ts";
import { type CliUnderTest, cliUnderTest, RELEASE } from "./testing/cli-under-test.ts";
import { call, heldApproval } from "./testing/http-client.ts";
import { faultsOf } from "./testing/page-faults.ts";
import { scratch } from "./testing/scratch.ts";

const TOOL = "file_risk_report";

describe("signing in at a provider of OIDC, in a real browser", () => {
  const files = scratch();
  let browser: Browser | null = null;
  let provider: OidcServer;
  let cli: CliUnderTest;

  beforeAll(async () => {
    browser = await launchChromium();
    if (!browser) return;
    // Both names are this machine, but a browser treats them as two sites.
    provider = await startOidcServer({ name: "localhost", accounts: { ana: { groups: ["approvers"] }, nora: { groups: ["all-staff"] } } });
    const groups = { approvers: { role: "approver", tiers: ["high", "critical"] } };
    const about = { name: "Example login", issuer: provider.issuer, ...OIDC_CLIENT, scopes: ["groups"], tenant: "local", groups };
    const file = files.file("oidc.json", JSON.stringify(about));
    chmodSync(file, 0o600);
    cli = await cliUnderTest({
      APPROVALS_OIDC_FILE: file,
      WEBHOOK_ALLOWED_HOSTS: provider.host,
    });
    const { code, stderr } = await cli.run(["tools", "tier", TOOL, "high"]);
    if (code !== 0) throw new Error(`The tier was not raised: ${stderr}`);
  });
  afterAll(async () => {
    await browser?.close();
    await cli?.stop();
    await provider?.[Symbol.asyncDispose]();
    files.remove();
  });
  beforeEach((test) => {
    if (NO_CHROMIUM !== null) test.skip(NO_CHROMIUM);
  });

  it("leads from the address of an approval through the provider back to it, and the person decides", async () => {
    const id = await held();
    await using visit = await visitor();
    await visit.page.goto(`${cli.approvals}/approvals/${id}`);
    await visit.page.getByRole("link", { name: "Sign in with Example login" }).click();
    await signInAtProvider(visit.page, "ana");
    await visit.page.getByRole("heading", { name: /File a low risk report/ }).waitFor();
    expect(visit.page.url()).toBe(`${cli.approvals}/approvals/${id}`);
    const cookies = (await visit.page.context().cookies(cli.approvals)).map(({ name, httpOnly, sameSite }) => ({
      name,
      httpOnly,
      sameSite,
    }));
    expect(cookies).toEqual([{ name: "toolbus-approvals", httpOnly: true, sameSite: "Strict" }]);
    await visit.page.getByRole("button", { name: "Approve" }).click();
    expect(await visit.page.getByRole("status").innerText()).toBe("You approved this.");
    const { body } = await call(`${cli.approvals}/v1/approvals/${id}`, cli.approver);
    expect(body).toMatchObject({ decisions: [{ approver: "oidc:ana", decision: "approve", via: "page" }] });
    expect(visit.blocked).toEqual([]);
  });

  it.each([
    { size: "desktop", viewport: { width: 1280, height: 900 } },
    { size: "phone", viewport: { width: 375, height: 740 } },
  ])("shows the link and the form on a $size without a fault", async ({ viewport }) => {
    const context = await opened().newContext({ viewport });
    try {
      const page = await context.newPage();
      await page.goto(`${cli.approvals}/sign-in`);
      expect(await faultsOf(context, page)).toEqual({ pixelsTooWide: 0, violations: [] });
    } finally {
      await context.close();
    }
  });

  it("tells a person without a role whom to ask", async () => {
    await using visit = await visitor();
    await visit.page.goto(`${cli.approvals}/sign-in`);
    await visit.page.getByRole("link", { name: "Sign in with Example login" }).click();
    await signInAtProvider(visit.page, "nora");
    expect(await visit.page.getByRole("alert").innerText()).toMatch(/as nora, but have no role here\.\s+Ask an operator/);
    await visit.page.goto(`${cli.approvals}/approvals`);
    expect(new URL(visit.page.url()).pathname).toBe("/sign-in");
  });

  it("says so when the person cancels", async () => {
    await using visit = await visitor();
    await visit.page.goto(`${cli.approvals}/sign-in`);
    await visit.page.getByRole("link", { name: "Sign in with Example login" }).click();
    await visit.page.getByRole("button", { name: "Cancel" }).click();
    expect(await visit.page.getByRole("alert").innerText()).toBe("Example login did not sign you in. Sign in again.");
  });

  async function held(): Promise<string> {
    const text = `${TOOL} ${JSON.stringify({ release_id: RELEASE, severity: "low", findings: ["All is well."] })}`;
    const { body } = await call(`${cli.gateway}/v1/conversations`, cli.user, {});
    const { conversationId } = body as { readonly conversationId: string };
    const sent = await call(`${cli.gateway}/v1/conversations/${conversationId}/messages`, cli.user, { text });
    return heldApproval(cli, (sent.body as { readonly runId: string }).runId);
  }

  function opened(): Browser {
    if (!browser) throw new Error("There is no browser.");
    return browser;
  }

  /** Opens a separate browser context without scripts. Records what the content security policy of a page blocks. */
  async function visitor() {
    const context = await opened().newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    const blocked: string[] = [];
    page.on("console", (said) => void (said.text().includes("Content Security Policy") && blocked.push(said.text())));
    return { page, blocked, [Symbol.asyncDispose]: () => context.close() };
  }
});

async function signInAtProvider(page: Page, login: string): Promise<void> {
  await page.getByLabel("Login").fill(login);
  await page.getByRole("button", { name: "Continue" }).click();
}

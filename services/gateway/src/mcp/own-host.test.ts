import { describe, expect, it } from "vitest";
import { onlyOwnSites, type SiteHeaders } from "./own-host.ts";

/** Returns whether a gateway with these settings answers a request with these headers. */
function answers(headers: SiteHeaders, { on = "127.0.0.1", hosts = "", origins = "" } = {}): boolean {
  try {
    onlyOwnSites(headers, { GATEWAY_HOST: on, MCP_HOSTS: hosts, CORS_ORIGINS: origins });
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: "forbidden", message: expect.stringMatching(/is not one of this gateway|may not use this route/) });
    return false;
  }
}

describe("a gateway on a loopback address", () => {
  it.each(["127.0.0.1:8080", "localhost", "LOCALHOST:1", "[::1]:8080", "127.1"])("answers the host %s", (host) => {
    for (const on of ["127.0.0.1", "localhost", "::1"]) expect(answers({ host }, { on })).toBe(true);
  });

  it.each([
    "evil.example",
    "evil.example:8080",
    "localhost.evil.example",
    "localhost@evil.example",
    "evil.example#localhost",
    "evil.example/localhost",
    "127.0.0.1.evil.example",
    "10.0.0.1",
    "",
    "not a host",
  ])("refuses the host %j, to which a name server may have given its address", (host) => {
    expect(answers({ host })).toBe(false);
  });

  it("refuses a request without a host", () => {
    expect(answers({})).toBe(false);
  });

  it("answers a host of MCP_HOSTS with and without a port, and no other", () => {
    const settings = { hosts: "tools.example, Proxy.Example" };
    for (const host of ["tools.example", "proxy.example:443", "localhost"]) expect(answers({ host }, settings)).toBe(true);
    for (const host of ["x.tools.example", "tools.example.evil.example"]) expect(answers({ host }, settings)).toBe(false);
  });

  it("answers pages of this machine and of CORS_ORIGINS, and no other page", () => {
    const host = "localhost:8080";
    const origins = "https://app.example";
    for (const origin of ["http://localhost:3000", "http://127.0.0.1", "https://app.example"])
      expect(answers({ host, origin }, { origins })).toBe(true);
    for (const origin of ["null", "", "http://evil.example", "https://app.example.evil.example", "http://app.example", "file://"])
      expect(answers({ host, origin }, { origins })).toBe(false);
  });
});

describe("a gateway on another address", () => {
  it("answers every host, and pages of the host that was asked for", () => {
    const on = "0.0.0.0";
    expect(answers({ host: "any.example" }, { on })).toBe(true);
    expect(answers({ host: "any.example:8080", origin: "https://any.example" }, { on })).toBe(true);
    expect(answers({ host: "any.example", origin: "https://evil.example" }, { on })).toBe(false);
  });

  it("answers only the hosts in MCP_HOSTS if there are any", () => {
    const settings = { on: "0.0.0.0", hosts: "tools.example" };
    expect(answers({ host: "tools.example" }, settings)).toBe(true);
    for (const host of ["localhost", "evil.example"]) expect(answers({ host }, settings)).toBe(false);
    expect(answers({ host: "tools.example", origin: "https://evil.example" }, settings)).toBe(false);
  });
});

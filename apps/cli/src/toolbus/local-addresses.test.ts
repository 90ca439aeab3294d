import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { keepAddresses } from "@toolbus/all-in-one";
import { describe, expect, it } from "vitest";
import { readGlobalOptions } from "./global-options.ts";

async function folder(): Promise<{ readonly path: string } & AsyncDisposable> {
  const made = await mkdtemp(path.join(tmpdir(), "toolbus-addresses-"));
  return { path: made, [Symbol.asyncDispose]: () => rm(made, { recursive: true, force: true }) };
}

function urlsOf(data: string, env: Readonly<Record<string, string>> = {}, raw: { readonly url?: string } = {}): readonly string[] {
  const { url, approvalsUrl } = readGlobalOptions({ ...raw, data }, { env, cwd: "/", root: "/" });
  return [url, approvalsUrl];
}

function nothingSaid(text: string): void {
  throw new Error(text);
}

const DEFAULTS = ["http://127.0.0.1:8080", "http://127.0.0.1:8081"];

describe("the addresses of a Toolbus on this machine", () => {
  it("are those that it wrote to its data directory, until it stops", async () => {
    await using data = await folder();
    const forget = await keepAddresses(
      data.path,
      { gatewayUrl: "http://127.0.0.1:9080", approvalsUrl: "http://0.0.0.0:9081" },
      nothingSaid,
    );
    expect(urlsOf(data.path)).toEqual(["http://127.0.0.1:9080", "http://127.0.0.1:9081"]);
    expect((await stat(path.join(data.path, "addresses.json"))).mode & 0o777).toBe(0o600);
    await forget();
    expect(await readdir(data.path)).toEqual([]);
    expect(urlsOf(data.path)).toEqual(DEFAULTS);
  });

  it("are said to be missing if they cannot be written, and nothing else fails", async () => {
    await using data = await folder();
    const file = path.join(data.path, "file");
    await writeFile(file, "");
    const said: string[] = [];
    const forget = await keepAddresses(file, { gatewayUrl: "http://127.0.0.1:9080", approvalsUrl: "http://127.0.0.1:9081" }, (text) => {
      said.push(text);
    });
    await forget();
    expect(said).toEqual([
      expect.stringMatching(/addresses\.json cannot be written \(\w+\), so other commands may need --url and --approvals-url\.\n$/),
    ]);
  });

  it("are those of the flags and the environment, if these name some", async () => {
    await using data = await folder();
    await keepAddresses(data.path, { gatewayUrl: "http://127.0.0.1:9080", approvalsUrl: "http://127.0.0.1:9081" }, nothingSaid);
    const env = { TOOLBUS_URL: "http://127.0.0.1:7000" };
    expect(urlsOf(data.path, env)).toEqual(["http://127.0.0.1:7000", "http://127.0.0.1:9081"]);
    expect(urlsOf(data.path, env, { url: "http://127.0.0.1:6000" })[0]).toBe("http://127.0.0.1:6000");
  });

  it.each([
    "{",
    "null",
    "[]",
    '{"gateway":7}',
    '{"gateway":"http://elsewhere.example:9080","approvals":"file:///etc"}',
    '{"gateway":"http://127.0.0.1.example"}',
  ])("are the default ones if the file says %s, because no key may go to another machine", async (text) => {
    await using data = await folder();
    await writeFile(path.join(data.path, "addresses.json"), text);
    expect(urlsOf(data.path)).toEqual(DEFAULTS);
  });
});

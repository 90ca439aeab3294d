import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { scratchFolder, scratchRepository } from "@toolbus/release-facts/testing";
import { describe, expect, it } from "vitest";

const MAIN = fileURLToPath(new URL("main.ts", import.meta.url));

function setup() {
  const shop = scratchRepository();
  const bank = scratchRepository();
  for (const [repo, name] of [
    [shop, "shop"],
    [bank, "bank"],
  ] as const) {
    repo.write(`${name}.ts`, "export const a = 1;\n");
    repo.commit(`Begin the ${name}`);
    repo.git("tag", "v1.0.0");
    repo.write(`${name}.ts`, "export const b = 1;\n");
    repo.commit(`Change the ${name}`);
    repo.git("tag", "v1.1.0");
  }
  const folder = scratchFolder();
  const children = new Set<ChildProcess>();
  const start = (...args: string[]) => {
    const child = spawn(process.execPath, [MAIN, ...args], { stdio: ["ignore", "pipe", "pipe"] });
    children.add(child);
    return child;
  };
  return {
    shop,
    bank,
    file(name: string, content: unknown) {
      const path = join(folder.path, name);
      writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
      return path;
    },
    async serve(...args: string[]) {
      const child = start(...args, "--port", "0", "--data", join(folder.path, "data"));
      for await (const line of createInterface({ input: child.stdout })) {
        const url = /http:\/\/[^/]+/.exec(line)?.[0];
        if (url) return async (path: string) => (await fetch(`${url}${path}`)).json() as Promise<Record<string, unknown>>;
      }
      throw new Error("The server printed no address.");
    },
    async run(...args: string[]) {
      const child = start(...args, "--port", "0", "--data", join(folder.path, "data"));
      let said = "";
      child.stderr.on("data", (chunk) => (said += String(chunk)));
      const [code] = await once(child, "close");
      return { code, said };
    },
    [Symbol.dispose]() {
      for (const child of children) child.kill("SIGKILL");
      for (const one of [shop, bank, folder]) one[Symbol.dispose]();
    },
  };
}

describe("a release API of several repositories", () => {
  it("serves the releases of each side by side, and says which projects exist", async () => {
    using world = setup();
    const jobs = {
      total_count: 1,
      jobs: [{ name: "test", head_sha: world.shop.git("rev-parse", "v1.1.0"), status: "completed", conclusion: "success" }],
    };
    const config = {
      projects: [
        { name: "shop", repo: world.shop.path, releases: [{ to: "v1.0.0" }, { to: "v1.1.0", ci: [world.file("jobs.json", jobs)] }] },
        { name: "bank", repo: world.bank.path },
      ],
    };
    const get = await world.serve("--config", world.file("projects.json", config));
    expect(await get("/releases")).toMatchObject({ releases: ["bank/v1.1.0", "shop/v1.1.0", "shop/v1.0.0"] });
    for (const name of ["shop", "bank"]) {
      expect(await get(`/release-summary?release_id=${name}/v1.1.0`)).toMatchObject({
        release_id: `${name}/v1.1.0`,
        version: "v1.1.0",
        changes: [`Change the ${name}`],
      });
      expect(await get(`/code-changes?release_id=${name}/v1.1.0`)).toMatchObject({
        release_id: `${name}/v1.1.0`,
        base: "v1.0.0",
        facts: { project: name, files: { list: [{ path: `${name}.ts` }] } },
      });
    }
    expect(await get("/test-details?release_id=shop/v1.1.0")).toMatchObject({ ci: [{ of_this_release: true, jobs: { passed: 1 } }] });
    expect(await get("/test-details?release_id=bank/v1.1.0")).toMatchObject({ ci: [] });
    expect(await get("/past-releases?release_id=shop/v1.1.0")).toMatchObject({ releases: [{ tag: "v1.0.0", release_id: "shop/v1.0.0" }] });
    expect(await get("/past-releases?release_id=bank/v1.1.0")).toMatchObject({
      releases: [expect.not.objectContaining({ release_id: expect.anything() })],
    });
    for (const route of ["release-summary", "code-changes", "test-details", "past-releases", "observability-traces"]) {
      expect(await get(`/${route}?release_id=mint/v1.1.0`)).toMatchObject({
        error: "release_not_found",
        message: 'There is no project "mint" in "mint/v1.1.0". Known projects: shop, bank.',
      });
      expect(await get(`/${route}?release_id=shop/v9`)).toMatchObject({
        error: "release_not_found",
        message: 'There is no release "shop/v9".',
      });
    }
    // The release of another project is not found by its version alone.
    expect(await get("/release-summary?release_id=v1.1.0")).toMatchObject({ error: "release_not_found" });
  }, 120_000);

  it("does not start if an option or one file is wrong, and says which", async () => {
    using world = setup();
    const torn = world.file("torn.json", '{"total_count":1,"jobs":[');
    const config = { projects: [{ name: "shop", repo: world.shop.path, releases: [{ to: "v1.1.0", ci: [torn] }] }] };
    expect(await world.run("--config", world.file("projects.json", config))).toEqual({
      code: 1,
      said: `In the project shop: ${torn} is not JSON.\n`,
    });
    expect(await world.run("--project", "shop=/nowhere")).toMatchObject({
      code: 1,
      said: expect.stringMatching(/^In the project shop: There is no folder/),
    });
    const twice = { projects: [{ name: "shop", repo: world.shop.path, releases: [{}, { to: "v1.1.0" }] }] };
    expect(await world.run("--config", world.file("twice.json", twice))).toMatchObject({
      code: 1,
      said: expect.stringContaining("Two releases have the id shop/v1.1.0"),
    });
    expect(await world.run("--project", "shop=.", "--repo", ".")).toMatchObject({
      code: 2,
      said: expect.stringMatching(/^Name one repository/),
    });
  }, 120_000);
});

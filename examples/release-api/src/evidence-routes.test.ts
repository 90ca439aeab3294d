import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseReleaseFacts, type ReleaseFacts } from "@toolbus/release-facts";
import { scratchFolder, type ScratchRepository, scratchRepository } from "@toolbus/release-facts/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadRelease, type LoadReleaseOptions } from "./load-release.ts";
import { type ReleaseApiOptions, startReleaseApi } from "./release-api.ts";

/** Makes a shop with two releases. The newest one changes what can be paid. */
function shop(): ScratchRepository {
  const repo = scratchRepository();
  repo.write("src/pay/card.ts", "export function charge(amount: number) {\n  return amount;\n}\nexport const limit = 1;\n");
  repo.write("README.md", "Read me\n");
  repo.commit("Begin");
  repo.git("tag", "v1.0.0");
  repo.write("README.md", "Read me again\n");
  repo.commit("Describe");
  repo.git("tag", "v1.1.0");
  repo.write("src/pay/card.ts", "export function charge(amount: number, currency: string) {\n  return validate(amount);\n}\n");
  repo.write("src/cart/cart.ts", "export const cart = [];\n");
  repo.commit("fix(pay): check amounts, CVE-2026-12345");
  repo.git("tag", "v1.2.0");
  return repo;
}

async function setup(repo: { readonly path: string }, options: Partial<LoadReleaseOptions> = {}, api: Partial<ReleaseApiOptions> = {}) {
  const folder = scratchFolder();
  const loaded = await loadRelease({ repo: repo.path, ...options });
  if (!loaded.ok) throw new Error(loaded.message);
  const id = loaded.release.release_id;
  const server = await startReleaseApi({
    directory: join(folder.path, "data"),
    releases: new Map([[id, loaded.release]]),
    evidence: new Map([[id, loaded.evidence]]),
    clock: () => Date.UTC(2026, 0, 2),
    newId: () => "rr_1",
    ...api,
  });
  return {
    id,
    url: server.url,
    async get(path: string, query: Readonly<Record<string, string | number>> = {}) {
      const url = new URL(path, server.url);
      for (const [name, value] of Object.entries({ release_id: id, ...query })) url.searchParams.set(name, String(value));
      let answer = await fetch(url);
      // On a busy machine, git takes longer than one request waits.
      while (answer.status === 503 && answer.headers.get("retry-after") !== null) answer = await fetch(url);
      const text = await answer.text();
      return { status: answer.status, bytes: Buffer.byteLength(text), body: JSON.parse(text) };
    },
    async facts(query: Readonly<Record<string, string | number>> = {}): Promise<ReleaseFacts> {
      const { status, body } = await this.get("code-changes", query);
      expect(status).toBe(200);
      const parsed = parseReleaseFacts(body.facts);
      if (!parsed.ok) throw new Error("The answer has no facts.");
      return parsed.value;
    },
    async [Symbol.asyncDispose]() {
      await server.stop();
      folder[Symbol.dispose]();
    },
  };
}

// Many tests only ask about the newest release of the shop, so one repository and one API serve all of them. A test that changes its repository makes its own.
let shared: ScratchRepository;
let world: Awaited<ReturnType<typeof setup>>;
beforeAll(async () => {
  shared = shop();
  world = await setup(shared);
}, 30_000);
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  shared[Symbol.dispose]();
});

describe("code changes over HTTP", () => {
  it("are the facts of the release, with its two ends", async () => {
    const { status, body } = await world.get("code-changes");
    expect([status, Object.keys(body)]).toEqual([200, ["release_id", "base", "head", "facts"]]);
    expect(body).toMatchObject({ release_id: "v1.2.0", base: "v1.1.0", head: "v1.2.0" });
    const facts = await world.facts();
    expect(facts).toMatchObject({ baseIsAncestor: true, sameTagSeries: true, notes: [] });
    expect(facts.commits.list).toMatchObject([{ type: "fix", advisories: ["CVE-2026-12345"] }]);
    expect(facts.exports).toMatchObject({ removed: [{ name: "limit" }], changed: [{ name: "charge" }], added: [{ name: "cart" }] });
    expect(JSON.stringify(facts)).not.toContain("validate(amount)");
  });

  it("can be only those of an area, a path or a kind", async () => {
    expect((await world.facts({ area: "src/cart" })).files.list.map(({ path }) => path)).toEqual(["src/cart/cart.ts"]);
    expect((await world.facts({ path: "card.ts" })).files.list.map(({ path }) => path)).toEqual(["src/pay/card.ts"]);
    expect((await world.facts({ kind: "docs" })).files).toMatchObject({ list: [], total: 2, omitted: 2 });
  });

  it("say if there is no earlier release, if the base is no ancestor, and if it is of another package", async () => {
    using repo = shop();
    {
      await using first = await setup(repo, { to: "v1.0.0", from: undefined });
      expect(await first.get("code-changes")).toMatchObject({
        status: 404,
        body: { error: "no_code_changes", message: expect.stringContaining("first commit") },
      });
    }
    repo.git("checkout", "--quiet", "-b", "side", "v1.0.0");
    repo.write("side.txt", "x\n");
    repo.commit("Side");
    repo.git("tag", "cart-v3.0.0");
    await using other = await setup(repo, { from: "cart-v3.0.0", to: "v1.2.0" });
    expect(await other.facts()).toMatchObject({
      baseIsAncestor: false,
      sameTagSeries: false,
      notes: [expect.stringContaining("not an ancestor"), expect.stringContaining("may be of another package")],
    });
  });

  it("of a repository without tags begin at the first commit and say so", async () => {
    using repo = scratchRepository();
    repo.commit("Begin");
    repo.write("a.txt", "a\n");
    repo.commit("Go on");
    await using world = await setup(repo);
    expect(await world.facts()).toMatchObject({ commits: { total: 1 }, notes: [expect.stringContaining("No release is before this one")] });
  });

  it("stay those of the release that was loaded if a tag moves later", async () => {
    using repo = shop();
    await using world = await setup(repo);
    const head = repo.git("rev-parse", "v1.2.0");
    repo.git("tag", "--force", "v1.2.0", "v1.1.0");
    expect((await world.facts()).head.commit).toBe(head);
  });

  it("of one package of a monorepo are only its own", async () => {
    using repo = scratchRepository();
    for (const name of ["a", "b"]) repo.write(`packages/${name}/package.json`, `{"name":"@shop/${name}"}`);
    repo.commit("Begin");
    repo.git("tag", "@shop/a@1.0.0");
    repo.write("packages/b/b.ts", "export const b = 1;\n");
    repo.write("packages/a/a.ts", "export const a = 1;\n");
    repo.commit("Change both");
    repo.git("tag", "@shop/a@1.0.1");
    await using world = await setup(repo);
    expect(world.id).toBe("@shop/a@1.0.1");
    expect(await world.facts()).toMatchObject({ package: { name: "@shop/a", directory: "packages/a" }, files: { total: 1, outside: 1 } });
  });

  it("explain why there are none if the history lost a part after the start", async () => {
    using repo = shop();
    await using world = await setup(repo);
    repo.git("update-ref", "-d", "refs/tags/v1.1.0");
    repo.write(".git/shallow", `${repo.git("rev-parse", "HEAD")}\n`);
    expect(await world.get("code-changes")).toMatchObject({
      status: 404,
      body: { error: "no_code_changes", message: "The repository is a shallow clone, so its history is incomplete." },
    });
  });
});

describe("past releases over HTTP", () => {
  it("compare the release with those before it, of the same series only", async () => {
    using repo = shop();
    repo.git("tag", "cart-v0.1.0", "v1.1.0");
    await using world = await setup(repo);
    const { status, body } = await world.get("past-releases");
    expect(status).toBe(200);
    expect(body).toMatchObject({
      release_id: "v1.2.0",
      size: { commits: 1, files: 2, lines: 6 },
      usual_size: { commits: 1, files: 1, lines: 2 },
      total: 2,
      releases: [
        { tag: "v1.1.0", base: "v1.0.0", size: { commits: 1, files: 1, lines: 2 }, reverts: 0, days_to_next: 0 },
        { tag: "v1.0.0", base: null, size: null, reverts: null },
      ],
      missing: [],
    });
  });

  it("of a first release are missing, which the answer says", async () => {
    await using first = await setup(shared, { to: "v1.0.0" });
    expect((await first.get("past-releases")).body).toMatchObject({
      total: 0,
      usual_size: null,
      missing: [expect.stringContaining("no earlier release")],
    });
  });
});

describe("test details and traces over HTTP", () => {
  const junit = `<testsuites><testsuite name="pay"><testcase name="charges" file="src/pay/card.test.ts" time="0.5"/>
    <testcase name="refuses"><failure message="expected 1"/></testcase><testcase name="later"><skipped/></testcase></testsuite></testsuites>`;
  const lcov = "SF:src/pay/card.ts\nDA:1,0\nDA:2,3\nend_of_record\nSF:src/cart/cart.ts\nDA:1,1\nend_of_record\n";

  it("say what nobody measured", async () => {
    expect(await world.get("test-details")).toMatchObject({
      status: 200,
      body: {
        tests: null,
        cases: [],
        coverage: null,
        ci: [],
        missing: [/test results/, /coverage/, /CI jobs/].map((one) => expect.stringMatching(one)),
      },
    });
    expect((await world.get("observability-traces")).body).toMatchObject({
      totals: null,
      missing: ["Nobody gave traces of this release."],
    });
  });

  it("join tests, coverage and CI results, and say if CI tested another commit", async () => {
    using files = scratchFolder();
    const file = (name: string, content: string) => (writeFileSync(join(files.path, name), content), join(files.path, name));
    const jobs = (sha: string) =>
      JSON.stringify({ total_count: 1, jobs: [{ name: "test", run_id: 7, head_sha: sha, status: "completed", conclusion: "failure" }] });
    const ci = [file("right.json", jobs(shared.git("rev-parse", "v1.2.0"))), file("wrong.json", jobs("0".repeat(40)))];
    await using tested = await setup(shared, { junit: file("junit.xml", junit), coverage: file("lcov.info", lcov), ci });
    const { body } = await tested.get("test-details");
    expect(body).toMatchObject({
      tests: { passed: 1, failed: 1, skipped: 1 },
      cases: [
        { status: "failed", suite: "pay", name: "refuses", message: "expected 1" },
        { name: "later" },
        { name: "charges", seconds: 0.5 },
      ],
      coverage: { format: "lcov", covered: 2, total: 3, files: [{ path: "src/pay/card.ts", covered: 1, total: 2 }, {}], files_omitted: 0 },
      ci: [
        { provider: "github", pipeline: "7", of_this_release: true, jobs: { failed: 1, passed: 0 } },
        { of_this_release: false, listed: [{ name: "test", status: "failed" }] },
      ],
      missing: [expect.stringContaining("not the end of this release")],
    });
    expect((await tested.get("test-details", { status: "passed" })).body.cases).toHaveLength(1);
    expect((await tested.get("test-details", { path: "src/pay" })).body).toMatchObject({
      cases: [{ name: "charges" }],
      coverage: { files: [{}], files_omitted: 1 },
    });
    expect((await tested.get("release-summary")).body.tests).toMatchObject({ passed: 1, failed: 1, skipped: 1 });
  });
});

describe("the evidence routes", () => {
  it("answer what they cannot answer with a code and one sentence", async () => {
    await world.facts();
    for (const [path, status, error] of [
      ["code-changes?release_id=v9", 404, "release_not_found"],
      ["code-changes", 400, "bad_request"],
      ["code-changes?release_id=v1.2.0&release_id=v1.2.0", 400, "bad_request"],
      ["code-changes?release_id=v1.2.0&repo=/etc", 400, "bad_request"],
      ["code-changes?release_id=v1.2.0&kind=binary", 400, "bad_request"],
      ["code-changes?release_id=v1.2.0&area=%0a", 400, "bad_request"],
      [`code-changes?release_id=v1.2.0&path=${"x".repeat(401)}`, 400, "bad_request"],
      ["code-changes?release_id=v1.2.0&page=0", 400, "bad_request"],
      ["code-changes?release_id=v1.2.0&page=1e999", 400, "bad_request"],
      ["code-changes?release_id=v1.2.0&page=2", 404, "page_not_found"],
      ["test-details?release_id=v1.2.0&status=green", 400, "bad_request"],
      ["past-releases?release_id=v1.2.0&page=2", 404, "page_not_found"],
      ["observability-traces?release_id=v1.2.0&page=2", 404, "page_not_found"],
    ] as const) {
      const answer = await fetch(`${world.url}/${path}`);
      expect({ path, status: answer.status }).toEqual({ path, status });
      expect(await answer.json()).toMatchObject({ error, message: expect.stringMatching(/^[^\n]+\.$/) });
    }
  });

  it("are listed for programs, and answer GET only", async () => {
    const listed = { releases: ["v1.2.0"], evidence: ["test-details", "code-changes", "past-releases", "observability-traces"] };
    expect(await (await fetch(`${world.url}/releases`)).json()).toEqual(listed);
    expect((await fetch(`${world.url}/code-changes?release_id=v1.2.0`, { method: "POST" })).status).toBe(405);
  });

  it("of an API without evidence answer that it serves none", async () => {
    await using bare = await setup(shared, {}, { evidence: undefined });
    expect(await bare.get("code-changes")).toMatchObject({ status: 404, body: { error: "no_code_changes" } });
    expect(await bare.get("past-releases")).toMatchObject({ status: 200, body: { missing: [expect.stringContaining("no repository")] } });
    expect(await (await fetch(`${bare.url}/releases`)).json()).toEqual({ releases: ["v1.2.0"] });
  });
});

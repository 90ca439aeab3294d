import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";

const root = path.dirname(import.meta.dirname);
const text = (file: string): string => readFileSync(path.join(root, file), "utf8");

describe("the README", () => {
  const readme = text("README.md");

  it("shows a tool of the example worker as it is", () => {
    expect(readme).toContain(`\`\`\`ts\n${text("examples/orders-worker/src/tools/issue-refund.ts")}\`\`\``);
  });

  it("names only existing commands", () => {
    const { scripts } = JSON.parse(text("package.json")) as { scripts: Record<string, string> };
    const named = [...readme.matchAll(/npm (?:run ([a-z]+)|(start|test))/g)].map(([, run, short]) => run ?? short ?? "");
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });

  it.each(["README.md", "CONTRIBUTING.md", "docs/tool-invocation.md", "docs/approvals.md"])(
    "and its pages link only to existing targets: %s",
    (file) => {
      const links = [...text(file).matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)].map(([, link]) =>
        path.join(path.dirname(file), link ?? ""),
      );
      expect(links.filter((link) => !existsSync(path.join(root, link)))).toEqual([]);
    },
  );

  it("and every other page runs TypeScript on the Node of the first command, since the system's may be too old for it", () => {
    const pages = globSync("{*,docs/*,services/*/*,examples/*/*}.md", { cwd: root });
    const runs = pages.flatMap((file) =>
      [...text(file).matchAll(/(?<ours>npx |node_modules\/\.bin\/)?\bnode (?:\S+ )*?[\w/-]+\.ts\b/g)].map((run) => ({ file, run })),
    );
    expect(runs.length).toBeGreaterThan(10);
    expect(runs.filter(({ run }) => run.groups?.["ours"] === undefined).map(({ file, run }) => `${file}: ${run[0]}`)).toEqual([]);
  });

  it.each(["README.md", "docs/tutorial.md", "docs/deployment.md"])(
    "and pages to try things with name a Redis of this machine so that a default one works: %s",
    (file) => {
      const addresses = [...text(file).matchAll(/redis:\/\/127\.0\.0\.1[^\s'`]*/g)].map(([address]) => address);
      expect(addresses.length).toBeGreaterThan(0);
      expect(addresses.filter((address) => !address.includes("durability=relaxed"))).toEqual([]);
    },
  );

  it("names every package of the repository", () => {
    const named = [...readme.matchAll(/^((?:packages|services|apps)\/[a-z-]+) /gm)].map(([, room]) => room ?? "");
    const rooms = ["packages", "services", "apps"].flatMap((floor) =>
      readdirSync(path.join(root, floor))
        .map((room) => `${floor}/${room}`)
        .filter((room) => existsSync(path.join(root, room, "package.json"))),
    );
    expect(named.toSorted()).toEqual(rooms.toSorted());
  });
});

describe("the recorded release", () => {
  const { version } = JSON.parse(text("examples/release-api/recorded/summary.json")) as { readonly version: string };

  it.each([
    "README.md",
    "docker-compose.yml",
    "docs/deployment.md",
    "deploy/k8s/try.sh",
    "tests/kubernetes/prove/metrics.ts",
    "tests/kubernetes/prove/scaling.ts",
    "tests/kubernetes/prove/steady-load.ts",
  ])("has the name that is investigated in %s, where the API serves no other release", (file) => {
    const names = [...text(file).matchAll(/\binvestigate[ (]"?([0-9a-f]{7,12})\b|RELEASE = "([0-9a-f]{7,12})"/g)];
    expect(new Set(names.map(([, asked, constant]) => asked ?? constant))).toEqual(new Set([version]));
  });
});

import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";

const root = path.dirname(import.meta.dirname);
const text = (file: string): string => readFileSync(path.join(root, file), "utf8");

describe("the README", () => {
  const readme = text("README.md");

  it("shows the example worker as it is", () => {
    expect(readme).toContain(`\`\`\`ts\n${text("examples/orders-worker/src/orders.ts")}\`\`\``);
  });

  it("names only commands that there are", () => {
    const { scripts } = JSON.parse(text("package.json")) as { scripts: Record<string, string> };
    const named = [...readme.matchAll(/npm (?:run ([a-z]+)|(start|test))/g)].map(([, run, short]) => run ?? short ?? "");
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });

  it.each(["README.md", "CONTRIBUTING.md", "docs/tool-invocation.md", "docs/approvals.md"])(
    "and its pages link only to what exists: %s",
    (file) => {
      const links = [...text(file).matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)].map(([, link]) =>
        path.join(path.dirname(file), link ?? ""),
      );
      expect(links.filter((link) => !existsSync(path.join(root, link)))).toEqual([]);
    },
  );

  it("names every room of the house", () => {
    const named = [...readme.matchAll(/^((?:packages|services|apps)\/[a-z-]+) /gm)].map(([, room]) => room ?? "");
    const rooms = ["packages", "services", "apps"].flatMap((floor) =>
      readdirSync(path.join(root, floor))
        .map((room) => `${floor}/${room}`)
        .filter((room) => existsSync(path.join(root, room, "package.json"))),
    );
    expect(named.toSorted()).toEqual(rooms.toSorted());
  });
});

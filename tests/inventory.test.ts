import { describe, expect, it } from "vitest";
import { inventory } from "../scripts/inventory/inventory-page.ts";
import { productFiles, usersOf } from "../scripts/inventory/users-of.ts";
import { sourceFiles } from "./workspace-source.ts";

const whole = inventory();

describe("the inventory", () => {
  it.each(Object.keys(whole) as (keyof typeof whole)[])("has a user for each of the %s", (kind) => {
    const items = whole[kind];
    expect(items.length).toBeGreaterThan(20);
    expect(items.filter(({ users }) => users.length === 0).map(({ name }) => name)).toEqual([]);
  });

  it("finds no user for a declared name that nobody uses, or that only a comment names", () => {
    const file = (name: string, text: string) => ({ file: `packages/bus/src/${name}.ts`, text, imports: [] });
    const files = [file("settings", "  DOOR_MS: milliseconds(),"), file("door", "// DOOR_MS is not read\nconst a = OPEN_DOOR_MS;")];
    expect(usersOf("DOOR_MS", files, ["packages/bus/src/settings.ts"])).toEqual([]);
    expect(usersOf("DOOR_MS", [...files, file("bell", "ring(DOOR_MS);")], ["packages/bus/src/settings.ts"])).toEqual([
      "packages/bus/src/bell.ts",
    ]);
  });

  it("counts only the product: a test is not a user", () => {
    const files = productFiles(sourceFiles()).map(({ file }) => file);
    expect(files.filter((file) => /\.test\.ts$|\/testing\//.test(file))).toEqual([]);
    expect(files.length).toBeGreaterThan(800);
  });
});

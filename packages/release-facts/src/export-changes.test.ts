import { describe, expect, it } from "vitest";
import { exportChanges } from "./export-changes.ts";

/** Compares two states of a file. */
function changesOf(path: string, before: string, after: string) {
  const file = { path, from: null, oldId: "old", newId: "new", status: "M" as const, added: 1, deleted: 1, binary: false };
  const found = exportChanges(
    [file],
    new Map([
      ["old", before],
      ["new", after],
    ]),
    20,
  );
  const names = (list: readonly { readonly name: string }[]) => list.map(({ name }) => name);
  return { removed: names(found.removed), changed: names(found.changed), added: names(found.added) };
}

const nothing = { removed: [], changed: [], added: [] };
const go = (before: string, after: string) => changesOf("a.go", `package a\n\n${before}\n`, `package a\n\n${after}\n`);
const rust = (before: string, after: string) => changesOf("src/a.rs", `${before}\n`, `${after}\n`);

describe("the exported names of a release", () => {
  it("have an alias of a type with another form if it stands for something else", () => {
    const callback = (result: string) => `pub type Check<'a> = dyn FnMut(&Cert<'_>, &str) -> ${result} + 'a;`;
    expect(rust(callback("bool"), callback("Result<Status, Error>"))).toEqual({ ...nothing, changed: ["Check"] });
    expect(rust(callback("bool"), callback("bool").replace(", ", ",\n    "))).toEqual(nothing);
  });

  it("lose what leaves a folder in Go, because the folder is what others import, and keep what only leaves a file", () => {
    const content = "package a\n\nfunc Count() int { return 1 }\n";
    const moved = (from: string, path: string) => {
      const file = { path, from, oldId: "old", newId: "old", status: "R" as const, added: 0, deleted: 0, binary: false };
      return exportChanges([file], new Map([["old", content]]), 20);
    };
    expect(moved("models/a.go", "shop/models/a.go")).toMatchObject({
      removed: [{ file: "models/a.go", name: "Count" }],
      added: [{ file: "shop/models/a.go", name: "Count" }],
    });
    expect(moved("models/a.go", "internal/models/a.go").removed).toEqual([{ file: "models/a.go", name: "Count" }]);
    expect(moved("models/a.go", "models/b.go")).toMatchObject({ removed: [], added: [] });
  });

  it("lose a public field of Go that is gone or private now, and a field with another type has another form", () => {
    const struct = (fields: string) => `type Cart struct {\n${fields}\n}`;
    expect(go(struct("\tOwner string\n\tItems []int"), struct("\tItems []int"))).toEqual({ ...nothing, removed: ["Cart.Owner"] });
    expect(go(struct("\tOwner string"), struct("\towner string"))).toEqual({ ...nothing, removed: ["Cart.Owner"] });
    expect(go(struct("\tOwner string"), struct("\tOwner *string"))).toEqual({ ...nothing, changed: ["Cart.Owner"] });
  });

  it("stay the same if a field is new, or has another tag or comment", () => {
    const struct = (fields: string) => `type (\n\tCart struct {\n${fields}\n\t}\n)`;
    expect(go(struct("\t\tItems []int"), struct("\t\tItems []int\n\t\tOwner string"))).toEqual(nothing);
    expect(go(struct('\t\tItems  []int `json:"items"` // All.'), struct("\t\tItems []int"))).toEqual(nothing);
  });

  it("have an interface with another form if it has a new method, unless only its package can implement it", () => {
    const store = (methods: string) => `type Store interface {\n\tRead() error\n${methods}}`;
    expect(go(store(""), store("\tWrite(a int) error\n"))).toEqual({
      ...nothing,
      changed: ["Store.Write"],
      added: ["Store.Write"],
    });
    expect(go(store("\tseal()\n"), store("\tseal()\n\tWrite() error\n"))).toEqual({ ...nothing, added: ["Store.Write"] });
    expect(go("", store(""))).toEqual({ ...nothing, added: ["Store", "Store.Read"] });
  });

  it("stay the same if Go calls the empty interface by its other name", () => {
    const cart = (any: string) => `type Cart struct {\n\tItem ${any}\n}\n\nfunc Put(a ${any}) error {\n}`;
    expect(go(cart("interface{}"), cart("any"))).toEqual(nothing);
  });

  it("lose a type of Go without its fields once more", () => {
    expect(go("type Cart struct {\n\tOwner string\n}", "")).toEqual({ ...nothing, removed: ["Cart"] });
  });

  it("lose a constant, and a parameter that callers give by name, unless the function takes any name now", () => {
    const python = (before: string, after: string) => changesOf("pkg/a.py", before, after);
    expect(python("class A:\n    SAFE = 1\n    def run(self, a=1): pass\n", "class A:\n    def run(self): pass\n")).toEqual({
      ...nothing,
      removed: ["A.SAFE", "A.run(a)"],
      changed: ["A.run"],
    });
    expect(python("def go(a=1, **rest): pass\n", "def go(): pass\n").removed).toEqual(["go(a)"]);
    expect(python("def go(a=1): pass\n", "def go(**rest): pass\n").removed).toEqual([]);
    expect(python("def go(a=1): pass\nclass A:\n    SIZE = 1\n", "").removed).toEqual(["A", "go"]);
    expect(python("def go(): pass\n", "def go(a=1): pass\n")).toEqual({ ...nothing, changed: ["go"] });
  });

  it("lose public fields, variants and functions of traits in Rust", () => {
    expect(rust("pub struct Cart {\n    pub owner: u8,\n}", "pub struct Cart {\n    owner: u8,\n}")).toEqual({
      ...nothing,
      removed: ["Cart::owner"],
    });
    expect(rust("pub enum Kind {\n    One,\n    Two,\n}", "pub enum Kind {\n    One,\n}")).toEqual({ ...nothing, removed: ["Kind::Two"] });
  });

  it("have an enumeration with another form if a variant is new or has other values, unless the enumeration is open", () => {
    const kind = (variants: string, before = "") => `${before}pub enum Kind {\n    One,\n${variants}}`;
    expect(rust(kind(""), kind("    Two,\n"))).toEqual({ ...nothing, changed: ["Kind::Two"], added: ["Kind::Two"] });
    expect(rust(kind("    Two(u8),\n"), kind("    Two(Box<u8>),\n"))).toEqual({ ...nothing, changed: ["Kind::Two"] });
    const open = "#[non_exhaustive]\n/// Says what it is.\n#[derive(\n    Debug,\n)]\n";
    expect(rust(kind("", open), kind("    Two,\n", open))).toEqual(nothing);
    // The attribute is that of the item before.
    const other = "#[non_exhaustive]\npub struct Open {\n}\n";
    expect(rust(kind("", other), kind("    Two,\n", other)).changed).toEqual(["Kind::Two"]);
  });

  it("have a trait with another form if it has a new function without a body", () => {
    const trait = (functions: string) => `pub trait Store {\n    fn read(&self);\n${functions}}`;
    expect(rust(trait(""), trait("    fn write(&self);\n"))).toEqual({
      ...nothing,
      changed: ["Store::write"],
      added: ["Store::write"],
    });
    expect(rust(trait(""), trait("    fn write(&self) {\n    }\n"))).toEqual({ ...nothing, added: ["Store::write"] });
    const sealed = (functions: string) => `pub trait Store: private::Sealed {\n    fn read(&self);\n${functions}}`;
    expect(rust(sealed(""), sealed("    fn write(&self);\n"))).toEqual({ ...nothing, added: ["Store::write"] });
  });
});

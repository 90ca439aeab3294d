import { describe, expect, it } from "vitest";
import { exportsOf } from "./exported-names.ts";

const namesOf = (path: string, content: string) => [...(exportsOf(path, content)?.keys() ?? [])];
const signature = (path: string, content: string, name: string) => exportsOf(path, content)?.get(name);

describe("exported names", () => {
  it("of an ES module", () => {
    const text = `export function a(b) {}\nexport default class D {}\nexport const c = 1, e = 2;\nexport { f, g as h };\nexport type T = 1;\n/* export const no = 1; */\nfunction hidden() {}`;
    expect(namesOf("a.ts", text).toSorted()).toEqual(["T", "a", "c", "default", "f", "h"]);
  });

  it("of a CommonJS module", () => {
    const text = `exports.a = 1;\nmodule.exports.b = two;\nmodule.exports = { c, d: { no: 1 }, e() { return { no: 2 }; } };\nres.send = function send(body) {};\nView.prototype.render = function (o) {};`;
    expect(namesOf("a.js", text).toSorted()).toEqual(["View#render", "a", "b", "c", "d", "e", "res.send"]);
  });

  it("of a Python module", () => {
    const text = `__all__ = ("shown",)\nclass A(B):\n    def __init__(self, a):\n        pass\n    def run(self):\n        def inner(): pass\n    def _no(self): pass\nasync def go(\n    a,\n): pass\ndef _private(): pass\n`;
    expect(namesOf("pkg/a.py", text)).toEqual(["A", "A.__init__", "A.run", "go", "shown"]);
    expect(namesOf("pkg/_a.py", text)).toEqual([]);
    expect(namesOf("pkg/__init__.py", "class A: pass")).toEqual(["A"]);
  });

  it("of a Python module have the constants of its classes", () => {
    const text = `class A:\n    """Use it:\n\n    OLD = 1\n    """\nMAX_SIZE: Final[int] = 1\n_MIN = 2\nname = 3\nclass A:\n    SAFE = ("a",)\n    size = 1\n    def run(self):\n        LOCAL = 1\nif MAX_SIZE == 2:\n    LATER = 1\n    class C:\n        def deep(self): pass\nclass _B:\n    NO = 1\n`;
    expect(namesOf("pkg/a.py", text)).toEqual(["A", "A.SAFE", "A.run"]);
  });

  it("of a Python module have the parameters that callers give by name", () => {
    const text = `class A:\n    def __init__(self, a, b: dict[str, int] = {"x": 1}, *, c, _d=1, **rest): pass\n    def run(self, e='(,', f: str = "="): pass\ndef go(g, # don't (\n  # the pair\n  h=(1, 2), *args, i: Callable[[int], str]): pass\n`;
    const parameters = namesOf("pkg/a.py", text).filter((name) => name.endsWith(")"));
    expect(parameters).toEqual(["A(b)", "A(c)", "A(**)", "A.run(e)", "A.run(f)", "go(h)", "go(i)"]);
  });

  it("of a Go file", () => {
    const text = `package a\n\nfunc New(a int) (*T, error) {\n}\nfunc (t *T) Run() {}\nfunc (t *hidden) Run() {}\nfunc no() {}\ntype (\n\tOne struct{}\n\ttwo int\n)\nconst Max = 1\n`;
    expect(namesOf("a.go", text)).toEqual(["New", "T.Run", "Max", "One"]);
    expect(namesOf("internal/a.go", text)).toEqual([]);
  });

  it("of another language are not known", () => {
    expect(exportsOf("a.c", "int a(void);")).toBeNull();
  });

  it("have a signature that only a real change changes", () => {
    expect(signature("a.py", "def go(a, b): pass", "go")).toBe(signature("a.py", "def go(\n    a,\n    b,\n): pass", "go"));
    expect(signature("a.py", "def go(a, b): pass", "go")).not.toBe(signature("a.py", "def go(a): pass", "go"));
    expect(signature("a.go", "func New(a int) {\n}", "New")).toBe(signature("a.go", "func New(b int) {\n}", "New"));
    expect(signature("a.go", "func New(a int) error {\n}", "New")).not.toBe(signature("a.go", "func New(a int) {\n}", "New"));
  });
});

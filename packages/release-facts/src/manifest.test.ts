import { describe, expect, it } from "vitest";
import { readManifest } from "./manifest.ts";

function read(path: string, content: string) {
  const { dependencies, requirements, version } = readManifest(path, content);
  return {
    dependencies: [...dependencies.values()].map(({ name, use, requirement }) => `${use} ${name} ${requirement}`),
    requirements: [...requirements],
    version,
  };
}

describe("manifest", () => {
  it("of Node", () => {
    const text = JSON.stringify({
      version: "1.0.0",
      engines: { node: ">=18" },
      dependencies: { a: "^1.0.0" },
      devDependencies: { b: "2" },
    });
    expect(read("package.json", text)).toEqual({
      dependencies: ["runtime a ^1.0.0", "dev b 2"],
      requirements: [["node", ">=18"]],
      version: "1.0.0",
    });
  });

  it("of Go", () => {
    const text =
      "module a\n\ngo 1.21\n\nrequire (\n\tgithub.com/a/b v1.2.3\n\tgithub.com/c/d v0.1.0 // indirect\n)\n\nreplace (\n\tx.org/a v1.0.0 => ../a\n)\nrequire e.org/f v2.0.0\n";
    expect(read("go.mod", text)).toMatchObject({
      dependencies: ["runtime github.com/a/b v1.2.3", "optional github.com/c/d v0.1.0", "runtime e.org/f v2.0.0"],
      requirements: [["go", "1.21"]],
    });
  });

  it("of Python", () => {
    const text = `[project]\nversion = "2.0"\nrequires-python = ">=3.8"\ndependencies = [\n  "a[x]>=1.0; python_version < '3.9'",\n  "B",\n]\n[project.optional-dependencies]\nzstd = ["z>=1"]\n[tool.mypy]\nplugins = "no"\n`;
    expect(read("pyproject.toml", text)).toEqual({
      dependencies: ["runtime a >=1.0", "runtime b ", "optional z >=1"],
      requirements: [["python", ">=3.8"]],
      version: "2.0",
    });
    expect(read("dev-requirements.txt", "# no\n-r other.txt\nc==1.0 # why\n").dependencies).toEqual(["dev c ==1.0"]);
    expect(read("setup.py", 'setup(python_requires=">=3.6", install_requires=["Werkzeug>=2.0", "Jinja2"])')).toMatchObject({
      dependencies: ["runtime werkzeug >=2.0", "runtime jinja2 "],
      requirements: [["python", ">=3.6"]],
    });
    expect(
      read("setup.py", `setup(install_requires=["a>=3.4", "b>=1; python_version < '3.10'", "c>=2; python_version < '3.7'"])`).dependencies,
    ).toEqual(["runtime a >=3.4", "runtime b >=1", "runtime c >=2"]);
    expect(read("setup.cfg", "[options]\npython_requires = >= 3.7\ninstall_requires =\n    a>=1\n    b\n").dependencies).toEqual([
      "runtime a >=1",
      "runtime b ",
    ]);
  });

  it("of Rust", () => {
    const text = `[package]\nversion = "0.1.0"\nrust-version = "1.60"\n[dependencies]\na = "1.0"\nb = { version = "2", features = ["x"] }\n[dependencies.c]\nversion = "3"\n[dev-dependencies]\nd = "4"\n`;
    expect(read("Cargo.toml", `[dependencies]\nffi = { package = "one-sys", version = "2", path = "../one-sys" }\n`).dependencies).toEqual([
      "runtime one-sys 2",
    ]);
    expect(read("Cargo.toml", text)).toEqual({
      dependencies: ["runtime a 1.0", "runtime b 2", "runtime c 3", "runtime version 3", "dev d 4"].filter(
        (item) => item !== "runtime version 3",
      ),
      requirements: [["rust", "1.60"]],
      version: "0.1.0",
    });
  });

  it("of Ruby, PHP and Java", () => {
    expect(
      read("a.gemspec", 's.required_ruby_version = ">= 2.7"\ns.add_dependency "rack", "~> 3.0"\ns.add_development_dependency("rake")\n'),
    ).toMatchObject({
      dependencies: ["runtime rack ~> 3.0", "dev rake "],
      requirements: [["ruby", ">= 2.7"]],
    });
    expect(read("composer.json", '{"require":{"php":">=8","a/b":"^1"}}')).toMatchObject({
      dependencies: ["runtime a/b ^1"],
      requirements: [["php", ">=8"]],
    });
    expect(
      read("pom.xml", "<dependency><groupId>g</groupId><artifactId>a</artifactId><version>1.0</version></dependency>").dependencies,
    ).toEqual(["runtime g:a 1.0"]);
  });

  it("that is broken has no entries", () => {
    expect(read("package.json", "{ not json").dependencies).toEqual([]);
    expect(read("package.json", '["a"]').dependencies).toEqual([]);
  });
});

import { describe, expect, it } from "vitest";
import { publicRustFiles, rustExports } from "./rust-exports.ts";
import { gitIn, withoutAttributes } from "./git-command.ts";
import { scratchRepository } from "./testing/scratch-repository.ts";

const names = (text: string) => [...rustExports(text).keys()];

describe("the exports of Rust", () => {
  it("are public items, public functions of types and names that are used publicly", () => {
    const text = [
      "pub use crate::{input::Input, printer as Other};",
      "pub struct One<'a> {",
      "    pub field: u8,",
      "}",
      "impl<'a> One<'a> {",
      "    pub fn make(a: u8) -> Self {",
      "    }",
      "    fn hidden(&self) {}",
      "    pub(crate) fn inside(&self) {}",
      "}",
      "impl Display for One<'_> {",
      "    fn fmt(&self) {}",
      "}",
      "pub const fn two() {}",
      "pub(crate) fn three() {}",
      "fn four() {}",
    ].join("\n");
    expect(names(text)).toEqual(["Input", "Other", "One", "One::make", "two", "One::field"]);
  });

  it("are also the variants of an enumeration and the functions of a trait", () => {
    const text = [
      "pub enum Kind {",
      "    One,",
      "    Two(u8),",
      "}",
      "enum Hidden {",
      "    No,",
      "}",
      "pub trait Reader: Send {",
      "    fn read(",
      "        &self,",
      "    ) -> u8;",
      "    fn skip(&self) {",
      "    }",
      "}",
    ].join("\n");
    expect(names(text)).toEqual(["Kind", "Reader", "Kind::One", "Kind::Two", "Reader::read", "Reader::skip"]);
  });

  it("have another signature if the parameters differ", () => {
    const make = (type: string) => rustExports(`pub fn make(a: ${type}) {}\n`).get("make");
    expect(make("&OsStr")).not.toBe(make("&Path"));
    expect(make("&Path")).toBe(make(" &Path "));
  });

  it("count only in public modules of a crate with a library", async () => {
    using repo = scratchRepository();
    repo.write("src/lib.rs", "pub mod input;\nmod hidden;\nmod printer;\npub use printer::Printer;\n");
    repo.write("app/src/main.rs", "mod input;\n");
    const commit = repo.commit("Begin");
    const git = gitIn(await withoutAttributes({ repository: repo.path, environment: process.env, signal: AbortSignal.timeout(20_000) }));
    const paths = ["src/lib.rs", "src/input.rs", "src/hidden.rs", "src/printer.rs", "src/bin/tool/input.rs", "app/src/input.rs"];
    expect([...(await publicRustFiles(git, commit, paths))]).toEqual(["src/lib.rs", "src/input.rs", "src/printer.rs"]);
  });

  it("count in a module of a module only if each level is public, and not if a module is public under a condition only", async () => {
    using repo = scratchRepository();
    repo.write(
      "src/lib.rs",
      'pub mod service;\n#[cfg(feature = "unstable")]\npub mod frame;\n#[cfg(not(feature = "unstable"))]\nmod frame;\n',
    );
    repo.write(
      "src/service/mod.rs",
      "mod oneshot;\nmod make;\npub mod util;\npub(crate) use self::oneshot::Oneshot;\npub use self::make::Make;\n",
    );
    const commit = repo.commit("Begin");
    const git = gitIn(await withoutAttributes({ repository: repo.path, environment: process.env, signal: AbortSignal.timeout(20_000) }));
    const paths = ["src/service/mod.rs", "src/service/oneshot.rs", "src/service/make.rs", "src/service/util/deep.rs", "src/frame/mod.rs"];
    expect([...(await publicRustFiles(git, commit, paths))]).toEqual([
      "src/service/mod.rs",
      "src/service/make.rs",
      "src/service/util/deep.rs",
    ]);
  });
});

import { expect, it } from "vitest";
import { readReleaseFacts } from "./read-release-facts.ts";
import { scratchRepository } from "./testing/scratch-repository.ts";

it.each([
  ["package.json", '{"author":{"name":"someone"},"name":"cart"}'],
  ["Cargo.toml", '[[bin]]\nname = "tool"\n\n[package]\nname = "cart"\n'],
])(
  "the folder of a package is that of the manifest %s with its name, although the name of something else stands before it",
  async (file, text) => {
    using repo = scratchRepository();
    repo.write(`packages/one/${file}`, text);
    repo.commit("Begin");
    repo.git("tag", "cart@1.0.0");
    repo.write("packages/one/a.txt", "a");
    repo.commit("Go on");
    repo.git("tag", "cart@1.0.1");
    const read = await readReleaseFacts({ repo: repo.path, from: "cart@1.0.0", to: "cart@1.0.1", environment: process.env });
    expect(read.ok && read.facts.package).toEqual({ name: "cart", directory: "packages/one" });
  },
);

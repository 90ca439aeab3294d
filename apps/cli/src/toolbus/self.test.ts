import { describe, expect, it } from "vitest";
import { selfOf } from "./self.ts";

describe("the command that proposals begin with", () => {
  it("is the one that was typed, with the Toolbus that it was about", () => {
    expect(selfOf("./toolbus", ["chat", "hello"])).toBe("./toolbus");
    expect(selfOf(undefined, ["--url", "http://127.0.0.1:18480", "runs", "list", "--data=my data"])).toBe(
      "toolbus --url http://127.0.0.1:18480 --data 'my data'",
    );
  });

  it("repeats neither a key nor the words of a message", () => {
    expect(selfOf("toolbus", ["--key", "tb_user_secret", "--json", "chat", "--", "--url", "x"])).toBe("toolbus");
  });
});

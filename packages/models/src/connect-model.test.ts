import { describe, expect, it } from "vitest";
import { connectModel } from "./connect-model.ts";

describe("connect model", () => {
  it("gives the offline rules", () => {
    expect(connectModel("offline")).toMatchObject({ name: "offline", model: "rules-1" });
  });

  it("gives the model that is named, and refuses one that the provider does not have", () => {
    expect(connectModel("offline", "rules-1")).toMatchObject({ name: "offline", model: "rules-1" });
    expect(() => connectModel("offline", "big-1")).toThrow('The provider "offline" has no model "big-1"; accepted: rules-1.');
  });

  it.each(["anthropic", "Offline", "", "toString"])("refuses %j in one sentence that says what is accepted", (name) => {
    expect(() => connectModel(name)).toThrow(`The model provider ${JSON.stringify(name)} comes in a later version; accepted now: offline.`);
  });
});

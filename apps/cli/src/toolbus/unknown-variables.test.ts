import { describe, expect, it } from "vitest";
import { runCommandLine } from "./program.ts";
import { surroundingsUnderTest } from "../testing/surroundings-under-test.ts";
import { warnOfUnknownVariables } from "./unknown-variables.ts";

describe("variables that toolbus does not read", () => {
  const reported = async (env: Readonly<Record<string, string>>, reads: "nothing" | "models") => {
    const { around, said } = surroundingsUnderTest(env);
    await warnOfUnknownVariables(around, reads);
    return said();
  };

  it("are reported with the name that was probably meant, and never with their value", async () => {
    const env = {
      TOOLBUS_ULR: "http://me:secret@host",
      TOOBUS_KEY: "tb_user_secret",
      TOOLBUS_RETRIES_AT_MOST: "3",
      TOOLBUS_URL: "http://host",
    };
    expect(await reported(env, "nothing")).toEqual({
      out: "",
      err:
        "TOOLBUS_ULR is not a variable of toolbus and is not read: was TOOLBUS_URL meant?\n" +
        "TOOBUS_KEY is not a variable of toolbus and is not read: was TOOLBUS_KEY meant?\n" +
        "TOOLBUS_RETRIES_AT_MOST is not a variable of toolbus and is not read.\n",
    });
  });

  it("include those of models only for a command that asks one", async () => {
    const env = { LLM_PROVDER: "openai", OPENAI_API_KYE: "sk-secret", LLM_MODEL: "m" };
    expect((await reported(env, "nothing")).err).toBe("");
    expect((await reported({ ...env, TOOLBUS_ULR: "x" }, "models")).err).toBe(
      "TOOLBUS_ULR is not a variable of toolbus and is not read: was TOOLBUS_URL meant?\n" +
        "LLM_PROVDER is not a variable of toolbus and is not read: was LLM_PROVIDER meant?\n" +
        "OPENAI_API_KYE is not a variable of toolbus and is not read: was OPENAI_API_KEY meant?\n",
    );
  });

  it("are reported once by any command, and never on standard output, which is for JSON only", async () => {
    const { around, said } = surroundingsUnderTest({ TOOLBUS_ULR: "x", BUS_URL: "amqp://host/vhost" });
    expect(await runCommandLine(["broker", "policies", "--json"], around)).toBe(0);
    const { out, err } = said();
    expect(err).toBe("TOOLBUS_ULR is not a variable of toolbus and is not read: was TOOLBUS_URL meant?\n");
    expect(JSON.parse(out)).toMatchObject({ broker: "rabbitmq" });
  });

  it("are reported by the services that `start` starts", async () => {
    const { around, said } = surroundingsUnderTest({ TOOLBUS_ULR: "x" });
    await expect(runCommandLine(["start", "--json"], around)).rejects.toThrow(/leave --json out/);
    expect(said()).toEqual({ out: "", err: "" });
  });
});

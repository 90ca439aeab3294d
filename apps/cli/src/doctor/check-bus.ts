import { reachBroker, sentenceOf } from "@toolbus/runtime";
import { safeText } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import { type Check, fail, ok } from "./check.ts";

const ASKED_FOR_MS = 3000;

/**
 * Checks whether the broker of this shell's BUS_URL answers and accepts the login in it. Returns no check if BUS_URL names no broker, because a Toolbus that
 * was started elsewhere has its own BUS_URL.
 */
export async function checkBus({ around, signal }: Pick<Context, "around" | "signal">): Promise<readonly Check[]> {
  const name = "bus";
  const { BUS_URL: url } = around.env;
  if (!url) return [];
  try {
    const shown = await reachBroker(url, { connectForMs: ASKED_FOR_MS });
    return shown === null ? [] : [ok(name, safeText(`${shown} answers and accepts the login of BUS_URL`))];
  } catch (error) {
    signal.throwIfAborted();
    return [fail(name, safeText(sentenceOf(error)), "No service works with this BUS_URL. Correct it, or start the broker.")];
  }
}

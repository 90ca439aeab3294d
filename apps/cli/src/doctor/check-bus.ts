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
    if (shown === null) return [];
    // No service reports its namespace, so a person has to compare it with the address that "toolbus start" printed.
    return [
      ok(
        name,
        safeText(`${shown} answers and accepts the login of BUS_URL; its namespace is ${namespaceOf(url)}, as it must be for the services`),
      ),
    ];
  } catch (error) {
    signal.throwIfAborted();
    return [fail(name, safeText(sentenceOf(error)), "No service works with this BUS_URL. Correct it, or start the broker.")];
  }
}

/** Returns the namespace of a broker's address. Without this option, both brokers use `toolbus`. */
function namespaceOf(url: string): string {
  return new URLSearchParams(url.split("?")[1]).get("namespace") ?? "toolbus";
}

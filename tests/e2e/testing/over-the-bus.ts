import type { Infrastructure } from "@toolbus/runtime";

/**
 * Returns the infrastructure of a process that does not know which toolsets it serves. So its agent sends each call as a message, like an agent in a
 * process of its own, and a test can watch, hold back or lose the messages of calls.
 */
export function overTheBus({ local: _, ...infrastructure }: Infrastructure): Infrastructure {
  return infrastructure;
}

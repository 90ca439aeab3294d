export * from "./bus-case.ts";
export * from "./describe-message-bus.ts";
export * from "./probe.ts";

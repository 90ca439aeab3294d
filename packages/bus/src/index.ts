export * from "./message-bus.ts";

import { expect, it } from "vitest";
import { checkPageHost } from "./check-page-host.ts";

it("doctor warns if a browser would send the session of the approval page to the gateway", () => {
  const levels = (gateway: string, page: string): string[] => checkPageHost(gateway, page).map(({ level }) => level);
  expect(levels("https://tools.example.com:8080", "https://tools.example.com:8081")).toEqual(["warn"]);
  expect(levels("https://tools.example.com", "https://approvals.example.com")).toEqual([]);
  expect(levels("http://127.0.0.1:8080", "http://127.0.0.1:8081"), "one machine").toEqual([]);
  expect(levels("http://localhost:8080", "http://localhost:8081")).toEqual([]);
});

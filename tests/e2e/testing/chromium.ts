import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((file) => existsSync(file));
const FLAGS = "--no-sandbox --disable-gpu --no-first-run --disable-background-networking --disable-component-update --disable-sync".split(
  " ",
);

/** The reason to skip tests that drive a browser. Null if a browser exists. */
export const NO_CHROMIUM = CHROMIUM === undefined ? "there is no Chromium on this machine: apt-get install chromium" : null;

/** Returns a headless browser, or null if none exists. */
export async function launchChromium(): Promise<Browser | null> {
  return CHROMIUM === undefined ? null : chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
}

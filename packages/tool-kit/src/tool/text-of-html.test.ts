import { describe, expect, it } from "vitest";
import { isHtmlPage, textOfHtml, withoutHtml } from "./text-of-html.ts";

const PAGE = `<!DOCTYPE html>
<html><head><title>502 Bad&nbsp;Gateway</title><style>p > b { color: red }</style></head>
<body class="wide"><!-- a > comment --><script>if (1 < 2) alert("<p>no</p>")</script>
<h1>Bad <em>Gateway</em></h1><p>Try&#32;again, 1 < 2 &amp; 3.</p><table><tr><td>one</td><td>two</td></tr></table>
</body></html>`;

describe("a page of HTML", () => {
  it("is recognised by its beginning", () => {
    expect([PAGE, "  <html>", '<?xml version="1.0"?>\n<html lang="en">'].map(isHtmlPage)).toEqual([true, true, true]);
    expect(["<p>a</p>", "Write <html> first.", '{"html": "<html>"}', "<htmlish>", ""].map(isHtmlPage)).not.toContain(true);
  });

  it("is reduced to its words, one line per block", () => {
    const lines = textOfHtml(PAGE).split("\n").filter(Boolean);
    expect(lines).toEqual(["502 Bad Gateway", "# Bad Gateway", "Try again, 1 < 2 & 3.", "one two"]);
    expect(textOfHtml("<HTML><SCRIPT>İİ</SCRIPT>İ end")).toBe("İ end");
  });

  it("inside another text leaves that text unchanged", () => {
    expect(withoutHtml("502: <html><body><h2>Bad Gateway</h2></body></html>")).toBe("502: ## Bad Gateway");
    expect(withoutHtml("Is a < b? The <id> of a <p>.")).toBe("Is a < b? The <id> of a <p>.");
  });

  it.each(["<html><script>", "<html><!--", "<html><", "<html><b", "<html>&#9999999;&nope;"])(
    "that is truncated like %s does no harm",
    (html) => {
      expect(textOfHtml(html)).toMatch(/^(?:<|&#9999999;&nope;)?$/);
    },
  );

  it("is read in one pass, whatever a target sends", () => {
    const begun = performance.now();
    for (const part of ["<script>", "<!--", "<", "<p", "&#"]) textOfHtml(`<html>${part.repeat(200_000)}`);
    expect(performance.now() - begun).toBeLessThan(5000);
  });
});

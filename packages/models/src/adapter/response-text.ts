// Longer than a vendor's explanation, shorter than a page that somebody put in its place.
const MAX_CHARS = 65_536;

/** The beginning of an answer that is no stream, as far as it comes: its status has said the most of it, however it ends. `most` in characters. */
export async function beginningOf(response: Response, most = MAX_CHARS): Promise<string> {
  const reader = response.body?.getReader();
  if (!reader) return "";
  const decoder = new TextDecoder();
  let text = "";
  try {
    while (text.length < most) {
      const { done, value } = await reader.read();
      if (done) return text;
      text += decoder.decode(value, { stream: true });
    }
    // The rest is left, and its connection with it.
    await reader.cancel();
  } catch {
    // Cut off, or aborted: then nobody waits for it any more.
  }
  return text.slice(0, most);
}

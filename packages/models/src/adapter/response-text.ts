// Longer than a vendor's explanation, shorter than a page that a proxy put in its place.
const MAX_CHARS = 65_536;

/**
 * The beginning of an answer that is not a stream, as far as it arrives: its status has said the most important part, however it ends. `most` in
 * characters.
 */
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
    // The rest is dropped, together with its connection.
    await reader.cancel();
  } catch {
    // Cut off, or aborted: then nobody waits for it any more.
  }
  return text.slice(0, most);
}

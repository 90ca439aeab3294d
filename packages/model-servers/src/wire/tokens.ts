/** About how many tokens a text takes: four characters each, and never none. */
export function approximateTokens(text: string): number {
  return Math.max(1, Math.ceil(text.length / 4));
}

import { describe, expect, it } from "vitest";
import { type Doubt, doubtfulWords } from "./doubtful-words.ts";

const ESCAPE = /\\u/;

describe("a word that may be mistaken for another", () => {
  it.each<{ what: string; text: string; why: Doubt; spelled: string }>([
    { what: "a Cyrillic а in paypal", text: "pаypal.com", why: "mixed_scripts", spelled: "p\\u0430ypal" },
    { what: "a Greek omicron in google", text: "https://gοogle.com/x", why: "mixed_scripts", spelled: "g\\u03bfogle" },
    { what: "an Armenian o", text: "micrօsoft", why: "mixed_scripts", spelled: "micr\\u0585soft" },
    { what: "a Cherokee letter", text: "Ꭺpple", why: "mixed_scripts", spelled: "\\u13aapple" },
    { what: "Cyrillic with Greek", text: "рαу", why: "mixed_scripts", spelled: "\\u0440\\u03b1\\u0443" },
    {
      what: "a whole name in Cyrillic before .com",
      text: "раураӏ.com",
      why: "looks_latin",
      spelled: "\\u0440\\u0430\\u0443\\u0440\\u0430\\u04cf",
    },
    {
      what: "the same inside a Russian sentence",
      text: "Переведи на раураӏ.com сегодня",
      why: "looks_latin",
      spelled: "\\u0440\\u0430\\u0443\\u0440\\u0430\\u04cf",
    },
    { what: "a branch in Cyrillic alone", text: "сору", why: "looks_latin", spelled: "\\u0441\\u043e\\u0440\\u0443" },
    { what: "a name in Greek alone", text: "ΝΙΚΕ", why: "looks_latin", spelled: "\\u039d\\u0399\\u039a\\u0395" },
    { what: "one Cyrillic letter between Latin ones", text: "main.с.prod", why: "looks_latin", spelled: "\\u0441" },
    { what: "mathematical letters", text: "𝐩aypal", why: "looks_latin", spelled: "\\u{1d429}aypal" },
    { what: "a phonetic g", text: "ɡithub.com", why: "looks_latin", spelled: "\\u0261ithub" },
    { what: "wide letters among narrow ones", text: "ｐaypal", why: "looks_latin", spelled: "\\uff50aypal" },
    { what: "a Bengali four that looks like an 8", text: "account 1৪5", why: "mixed_digits", spelled: "1\\u09ea5" },
    { what: "a zero-width space", text: "to pay\u200Bpal now", why: "hidden_characters", spelled: "pay\\u200bpal" },
    { what: "a direction override", text: "safe\u202Egpj.exe", why: "hidden_characters", spelled: "safe\\u202egpj.exe" },
    { what: "a null", text: "a\u0000b", why: "hidden_characters", spelled: "a\\u0000b" },
  ])("is found: $what", ({ text, why, spelled }) => {
    const [first] = doubtfulWords(text);
    expect(first).toMatchObject({ why, spelled });
    expect(ESCAPE.test(first?.word ?? "")).toBe(why === "hidden_characters");
  });

  it.each([
    ["English", "Refund $149.99 to rita@example.com, see https://example.com/a?b=c#d (it's urgent)."],
    ["French, with composed and decomposed accents", "Déjà vu à l’été; de\u0301ja\u0300 — naïve façade, œuvre"],
    ["German", "Größe ändern: Straße 12, 5 €"],
    ["Turkish", "Işık ılık; İstanbul"],
    ["Vietnamese", "Tiếng Việt có dấu"],
    ["Russian", "Верните деньги клиенту Сергею Петрову, а он ответит: всё хорошо, у нас ТЕСТ"],
    ["Russian with Latin words in it", "Открой GitHub и проверь e-mail-адрес на example.com"],
    ["Ukrainian", "Їжак і ґава: Київ"],
    ["Greek", "Η Αθήνα είναι η πρωτεύουσα της Ελλάδας και ο Νίκος"],
    ["units and formulas", "10μs, Δt = 3, λ-calculus, 5Ω, πr²"],
    ["Japanese", "東京タワーで Tシャツを買う。iPhone用ケース、データベース"],
    ["wide Japanese letters", "ＡＢＣ株式会社"],
    ["Chinese", "请把退款发给张伟，订单号ORD-8821"],
    ["Korean", "김치찌개 API서버 재시작"],
    ["Hebrew", "שלום API, את ה-server"],
    ["Arabic", "أعد تشغيل خادم API الآن ١٢٣"],
    ["Hindi", "नमस्ते दुनिया API"],
    ["Thai", "ใช้APIนี้"],
    ["Armenian", "Բարեւ աշխարհ"],
    ["emoji", "Well done 👍🏽 🎉"],
  ])("is not found in ordinary %s", (_, text) => {
    // The function also reports the invisible joiners inside an emoji. This test checks only letters.
    expect(doubtfulWords(text).filter(({ why }) => why !== "hidden_characters")).toEqual([]);
  });

  it("is reported within limits, however many there are and however long they are", () => {
    const many = doubtfulWords(`${"pа".repeat(10_000)} `.repeat(3) + "pа ".repeat(20_000));
    expect(many).toHaveLength(8);
    expect(JSON.stringify(many).length).toBeLessThan(8000);
  });
});

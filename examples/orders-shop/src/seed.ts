/**
 * The contents of a new shop. Every name and address is invented. Amounts are in cents. The orders cover every tier of a refund: one is below 50 EUR,
 * one is above 50 EUR, and one is above 1,000 EUR.
 */
export const SEED = {
  customers: [
    { id: "CUS-17", name: "Ada Lindqvist", email: "ada@customer.example", balance: 0 },
    { id: "CUS-23", name: "Bruno Keller", email: "bruno@customer.example", balance: 1250 },
    { id: "CUS-42", name: "Chiara Rossi", email: "chiara@customer.example", balance: 0 },
  ],
  orders: [
    {
      id: "ORD-8821",
      customer: "CUS-17",
      status: "delivered",
      items: "1 desk lamp, 1 office chair",
      total: 24_900,
      address: { street: "Birkenweg 4", postcode: "20095", city: "Hamburg", country: "DE" },
    },
    {
      id: "ORD-8822",
      customer: "CUS-23",
      status: "packed",
      items: "2 notebooks",
      total: 1980,
      address: { street: "Seestrasse 11", postcode: "8002", city: "Zurich", country: "CH" },
    },
    {
      id: "ORD-8830",
      customer: "CUS-42",
      status: "delivered",
      items: "4 standing desks",
      total: 239_600,
      address: { street: "Via Roma 7", postcode: "20121", city: "Milano", country: "IT" },
    },
  ],
  policies: [
    {
      id: "returns",
      title: "Returns",
      text: "A customer may return an order within 30 days of its delivery. The shop refunds the price and the shipping.",
    },
    {
      id: "damaged",
      title: "Damaged goods",
      text: "For damaged goods the shop refunds up to the price of the order. The customer sends a photo and keeps the goods.",
    },
    { id: "shipping", title: "Shipping", text: "The shop sends parcels of up to 30 kg to the countries in its table of rates." },
    { id: "privacy", title: "Personal data", text: "Employees send personal data of customers only to the customer's own address." },
  ],
  rates: [
    { country: "DE", base: 490, perKg: 60, days: 2 },
    { country: "CH", base: 1290, perKg: 190, days: 4 },
    { country: "IT", base: 990, perKg: 120, days: 4 },
    { country: "FR", base: 890, perKg: 110, days: 3 },
  ],
} as const;

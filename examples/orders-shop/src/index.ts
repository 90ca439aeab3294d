export { type Effects, type Shop, startShop } from "./shop.ts";

export { type Effects, type Shop, type ShopOptions, startShop } from "./shop.ts";

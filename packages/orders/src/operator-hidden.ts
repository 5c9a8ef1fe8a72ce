import { HIDDEN_PASSWORD } from '@lockstep/contract/console';

type Fields = Record<string, unknown>;

/** The passwords of one product of an order, and where they are. */
interface PasswordList {
  passwords: unknown[];
  /** In the order: `assets[0].products[1]`. */
  path: string;
  /** What must be the same for a hidden password to be put back. */
  key: string;
}

/** How many passwords of orders are hidden. */
export function countHidden(orders: readonly unknown[]): number {
  return orders
    .flatMap((order) => [...listPasswords(order)])
    .reduce((sum, { passwords }) => sum + passwords.filter(isHidden).length, 0);
}

/**
 * Puts the passwords of `originals` back in the place of hidden ones, in orders as an operator has edited them. Each
 * goes only where it was: into an order of the same sequence and customer, for the same asset numbers and product at
 * its place. So nobody learns one by sending it to somebody else. Returns the paths at which nothing can be put back.
 */
export function putBackHidden(orders: readonly unknown[], originals: readonly unknown[]): string[] {
  const known = new Map(
    originals.flatMap((order) => [...listPasswords(order)]).map(({ key, passwords }) => [key, passwords]),
  );
  const lost: string[] = [];
  for (const [index, order] of orders.entries()) {
    for (const { passwords, path, key } of listPasswords(order)) {
      for (const [place, password] of passwords.entries()) {
        if (!isHidden(password)) continue;
        const original = known.get(key)?.[place];
        if (original === undefined) lost.push(`orderList[${index}].${path}.passwords[${place}]`);
        else passwords[place] = original;
      }
    }
  }
  return lost;
}

const isHidden = (password: unknown) => password === HIDDEN_PASSWORD;

/** Lists the passwords of an order, which may have any shape: its schema is looked at later. */
function* listPasswords(order: unknown): Generator<PasswordList> {
  const { sequence, customerId, assets } = fieldsOf(order);
  for (const [index, asset] of listOf(assets).entries()) {
    const { assetNos, products, merchandises } = fieldsOf(asset);
    const path = `assets[${index}]`;
    const contents = [...productsIn(products, `${path}.products`), ...productsOf(merchandises, `${path}.merchandises`)];
    for (const [at, { passwords, productUri }] of contents) {
      if (!Array.isArray(passwords)) continue;
      yield { passwords, path: at, key: JSON.stringify([sequence, customerId, assetNos, at, productUri]) };
    }
  }
}

function* productsIn(products: unknown, path: string): Generator<[path: string, product: Fields]> {
  for (const [index, product] of listOf(products).entries()) yield [`${path}[${index}]`, fieldsOf(product)];
}

function* productsOf(merchandises: unknown, path: string): Generator<[path: string, product: Fields]> {
  for (const [index, each] of listOf(merchandises).entries()) {
    const { licenseOrderProductList, children } = fieldsOf(each);
    yield* productsIn(licenseOrderProductList, `${path}[${index}].licenseOrderProductList`);
    yield* productsOf(children, `${path}[${index}].children`);
  }
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});

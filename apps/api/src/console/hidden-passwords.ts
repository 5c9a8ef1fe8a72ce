import { HIDDEN } from '@lockstep/contract/console';

type Fields = Record<string, unknown>;

interface PasswordList {
  passwords: unknown[];
  path: string;
  /** What must be the same before a hidden password is put back. */
  key: string;
}

/** Replaces all passwords in a stored order, wherever they are, and returns it. */
export function hidePasswords<Part extends object>(part: Part, mark: string = HIDDEN): Part {
  for (const [name, inner] of Object.entries(part)) {
    if (name === 'passwords' && Array.isArray(inner)) inner.fill(mark);
    else if (typeof inner === 'object' && inner !== null) hidePasswords(inner, mark);
  }
  return part;
}

export function countHidden(orders: readonly unknown[]): number {
  return orders
    .flatMap((order) => [...listPasswords(order)])
    .reduce((sum, { passwords }) => sum + passwords.filter(isHidden).length, 0);
}

/**
 * Replaces hidden passwords in edited orders with those of `originals`. A password goes only where it was (same
 * sequence, customer, asset numbers, product and place), so that an operator can't learn it by sending it to another
 * customer. Returns the paths of hidden passwords that can't be put back.
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

const isHidden = (password: unknown) => password === HIDDEN;

/** Lists the passwords of an order. The order may have any shape, because it is validated later. */
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

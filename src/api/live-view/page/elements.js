/**
 * The element of the page with an id.
 * @template {Element} Kind
 * @param {string} id
 * @param {new () => Kind} kind the class of the element
 * @returns {Kind}
 */
export function element(id, kind) {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`The page has no element ${id}.`);
  return found;
}

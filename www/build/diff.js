// What changed between two texts; bundled into www/vendor/diff.js, which the page
// fetches when the first version is looked at.
export { diffArrays } from 'diff';

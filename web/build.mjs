// Builds src into views/viewer/static: one module for each view, with shared chunks, for the app; one script for each view
// that is embedded in a file, a notebook or the first page, and those that mount it there; and one that every page loads.
// `node build.mjs FOLDER` builds elsewhere.
//
// manifest.json names the files: {"modules": {name: file}, "scripts": ..., "embedding": ..., "page": {"index": file}}.
import { createHash } from "node:crypto"
import { mkdir, readdir, rm, writeFile } from "node:fs/promises"
import { basename, dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"

const WEB = dirname(fileURLToPath(import.meta.url))
const OUT = resolve(process.argv[2] ?? join(WEB, "../views/viewer/static"))

const options = {
  absWorkingDir: WEB,
  bundle: true,
  minify: true,
  charset: "utf8",
  target: ["chrome111", "firefox114", "safari16.4"],
  legalComments: "none",
  logLevel: "warning",
}
// A style sheet becomes a text, which a component adopts; without the spaces that only people read.
const styles = {
  name: "styles",
  setup(plugin) {
    plugin.onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { outputFiles } = await build({ ...options, bundle: false, entryPoints: [path], write: false })
      return { contents: outputFiles[0].text.trim(), loader: "text" }
    })
  },
}

const entries = (await readdir(join(WEB, "src/views"), { withFileTypes: true }))
  .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
  .map((entry) => join("src/views", entry.name))
const nameOf = (path) => basename(path, ".ts")

await rm(OUT, { recursive: true, force: true })
await mkdir(OUT, { recursive: true })
const { metafile } = await build({
  ...options,
  entryPoints: entries,
  outdir: OUT,
  format: "esm",
  splitting: true,
  entryNames: "[name]-[hash]",
  chunkNames: "chunk-[hash]",
  metafile: true,
  plugins: [styles],
})
const modules = {}
for (const [file, { entryPoint }] of Object.entries(metafile.outputs)) {
  if (entryPoint) modules[nameOf(entryPoint)] = basename(file)
}

// Builds one script and writes it under a name with its hash, which is returned.
async function writeScript(entry, name, more = {}) {
  const { outputFiles } = await build({
    ...options,
    entryPoints: [entry],
    format: "iife",
    write: false,
    plugins: [styles],
    ...more,
  })
  const text = outputFiles[0].text.replaceAll("</script", "<\\/script") // it may be the text of an element
  const file = `${name}-${createHash("sha256").update(text).digest("hex").slice(0, 8).toUpperCase()}.js`
  await writeFile(join(OUT, file), text)
  return file
}

const scripts = {}
const component = { globalName: "mountComponent", footer: { js: "mountComponent = mountComponent.default;" } }
for (const entry of entries) {
  scripts[nameOf(entry)] = await writeScript(entry, `embedded-${nameOf(entry)}`, component)
}
const embedding = {}
for (const name of ["frame", "initial", "page"]) {
  embedding[name] = await writeScript(`src/embedding/${name}.ts`, `embedding-${name}`)
}
const page = { index: await writeScript("src/page/index.ts", "page") }
const sorted = (names) => Object.fromEntries(Object.entries(names).sort(([one], [other]) => (one < other ? -1 : 1)))
const manifest = { modules: sorted(modules), scripts: sorted(scripts), embedding, page }
await writeFile(join(OUT, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`)

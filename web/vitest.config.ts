import { defineConfig } from "vitest/config"

export default defineConfig({
  // A virtual machine for each file, in one worker with one loaded happy-dom: a process for each takes five times as long.
  test: { environment: "happy-dom", include: ["tests/**/*.test.ts"], pool: "vmThreads" },
  plugins: [{ name: "styles", enforce: "pre", load: (id) => (id.endsWith(".css") ? "export default ''" : null) }],
})

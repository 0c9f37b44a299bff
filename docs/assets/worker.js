// Browsers start no workers on pages that were opened as files, and the search is one: run it in a hidden frame there.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super()
      const frame = document.createElement("iframe")
      frame.hidden = true
      document.body.append(frame)
      const inside = frame.contentWindow
      inside.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }))
      const script = inside.document.createElement("script")
      this.loaded = new Promise(resolve => { script.onload = resolve })
      this.inside = inside
      script.src = new URL(address, location)
      inside.document.body.append(script)
    }

    async postMessage(data) {
      await this.loaded
      this.inside.dispatchEvent(new this.inside.MessageEvent("message", { data }))
    }
  }
}

"""Shell text becomes simple commands: parsed exactly where modelled, unknown where not."""
